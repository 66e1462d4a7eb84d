/** The settings of the next run, and the content of a received link. */
import { computed, signal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { Fields } from '../../run/config/fields';
import { defaultPreset, presets } from '../../run/config/presets';
import type { Classroom } from '../../run/sweep/seats';
import type { ArmValues } from '../../run/sweep/sweep';
import type { DecodedLink } from '../../share/settings-link';

/** Faults of fields, by path, with the text that was refused. A fault prevents the start of a run. */
export type Faults = ReadonlyMap<string, { message: string; text?: string }>;

export type FormStore = ReturnType<typeof createForm>;

export function createForm() {
  const draft = signal<RunConfig>(presets[defaultPreset]);
  return {
    draft,
    faults: signal<Faults>(new Map()),
    preset: computed(() => draft.value.preset),
    /** Axes of a new sweep, as text in the link's notation. */
    sweepFields: signal<Fields>(new Map([['sweep.seed', '1,2,3']])),
    /** The run or the settings in a received link. A link of settings only has no fingerprint. */
    sharedLink: signal<Pick<DecodedLink, 'config' | 'fingerprint' | 'backend'> | null>(null),
    /** True until the visitor closes the link's description. */
    isSharedLinkNew: signal(false),
    /** Set by a class link, which identifies the class in the records of its runs. */
    classroom: signal<(Classroom & { link: string }) | null>(null),
    /** Number that a student typed, with the arm and the settings of the seat. */
    seat: signal<{ name: string; values: ArmValues; config: RunConfig } | null>(null),
  };
}
