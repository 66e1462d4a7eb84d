/** Edits the settings of the next run: the draft that the row of Train, "All settings" and the link share. */
import type { Signal } from '@preact/signals';
import { MarbleError } from '../../base/error';
import { checkRunConfig, formFields, formFieldsOf } from '../../run/config/check-config';
import type { RunConfig } from '../../run/config/config';
import { differences, fieldsOf, recordFrom, type Fields } from '../../run/config/fields';
import { presetOf, presets } from '../../run/config/presets';
import type { Faults } from '../page/form-store';
import { goesWith, withChoice } from './groups';

export interface Form {
  draft: Signal<RunConfig>;
  /** While a field has a fault, no run begins. */
  faults: Signal<Faults>;
}

export const isOptional = (path: string): boolean =>
  formFields.some((field) => field.path === path && field.optional);

/** Names of the values of a field that is a choice. */
export const namesOf = (path: string): Readonly<Record<string, string>> =>
  formFields.find((field) => field.path === path)?.names ?? {};

/** Texts of the preset's fields; empty for settings of an unknown preset. */
export function presetFields(config: RunConfig): Fields {
  const preset = presetOf(config);
  return preset === null ? new Map() : fieldsOf(preset);
}

/** Fields that differ from the preset. */
export function changedFields(config: RunConfig): Fields {
  const preset = presetOf(config);
  return preset === null ? new Map() : differences(config, preset);
}

/** @returns whether the text was taken; otherwise the field has a fault, and the draft is unchanged */
export function setField({ draft, faults }: Form, path: string, text: string): boolean {
  const next = new Map(faults.value);
  next.delete(path);
  try {
    const texts = new Map([...fieldsOf(withChoice(draft.value, path, text)), [path, text.trim()]]);
    if (text.trim() === '' && isOptional(path)) {
      // A link holds what differs from the preset: what the preset has is not left out but stated.
      if (presetFields(draft.value).has(path))
        texts.set(path, formFieldsOf(draft.value).find((field) => field.path === path)?.empty ?? '0');
      else texts.delete(path);
    }
    draft.value = checkRunConfig(recordFrom(texts));
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    next.set(path, thrown.message);
  }
  faults.value = next;
  return !next.has(path);
}

/** Takes the preset's value of a field, and of the fields that go with it. */
export function putBack({ draft, faults }: Form, path: string): void {
  const others = [...fieldsOf(draft.value)].filter(([other]) => !goesWith(other, path));
  const before = [...presetFields(draft.value)].filter(([other]) => goesWith(other, path));
  draft.value = checkRunConfig(recordFrom(new Map([...others, ...before])));
  faults.value = new Map([...faults.value].filter(([faulty]) => !goesWith(faulty, path)));
}

export function choosePreset({ draft, faults }: Form, preset: string): void {
  faults.value = new Map();
  draft.value = presets[preset];
}
