/** Tables of a report: settings and machine. */
import type { RunConfig } from '../../run/config/config';
import { presetOf } from '../../run/config/presets';
import type { RunSummary } from '../../run/record/summary';
import { fieldsOf } from '../../run/config/fields';
import { changedFields } from '../settings/form';
import { percent, plainNumber, roughly, stepsWords } from '../ui/numbers';
import { FieldList } from '../ui/table';

export function ConfigTable({ config }: { config: RunConfig }) {
  const changed = changedFields(config);
  return (
    <section class="panel" aria-labelledby="all-settings">
      <h2 id="all-settings">Settings</h2>
      <p class="explain">
        {presetOf(config) === null
          ? 'This page has no preset of this name to compare them with.'
          : changed.size === 0
            ? 'All as in the preset.'
            : 'What differs from the preset is in bold.'}
      </p>
      <FieldList
        class="fields"
        fields={[...new Map([...fieldsOf(config), ...changed])].map(([path, value]) => [
          path,
          changed.has(path) ? <b>{value || 'none'}</b> : value,
        ])}
      />
    </section>
  );
}

const byPath = ([one]: [string, string], [other]: [string, string]): number =>
  one.localeCompare(other, 'en', { numeric: true });

/** The unfiltered machine record. A file may hold any value, so values are shown as plain text. */
export function MachineTable(props: { machine: Record<string, unknown>; summary: RunSummary | null }) {
  const { machine, summary } = props;
  return (
    <section class="panel" aria-labelledby="machine">
      <h2 id="machine">Where it ran</h2>
      {summary === null || summary.seconds === 0 ? null : <p class="explain">{timeWords(summary)}</p>}
      <FieldList class="fields" fields={flat(machine).sort(byPath)} />
    </section>
  );
}

/** Another program may log the time of a step without its phases. */
function timeWords({ steps, seconds, timeShares, referenceShare }: RunSummary): string {
  const ofReference = referenceShare > 0 ? ` (${percent(referenceShare)} for the reference model)` : '';
  const shares = Object.entries(timeShares).flatMap(([phase, share]) =>
    share === 0 ? [] : `${phase} ${percent(share)}${phase === 'update' ? ofReference : ''}`,
  );
  return `${stepsWords(steps)} took ${roughly(seconds)}, evaluations not counted${shares.length === 0 ? '' : `: ${shares.join(', ')}`}.`;
}

/** Returns the path and text of every value. Skips null and undefined, and rounds numbers. */
export function flat(value: unknown, path = ''): [path: string, value: string][] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'number') return [[path, plainNumber(value)]];
  if (typeof value === 'string' || typeof value === 'boolean') return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, part]) => flat(part, path === '' ? name : `${path}.${name}`));
}
