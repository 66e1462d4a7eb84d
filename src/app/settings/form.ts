/** Edits the draft: the settings of the next run, which the start panel, "All settings" and the link share. */
import { MarbleError } from '../../base/error';
import { checkRunConfig, formFields } from '../../run/config/check-config';
import type { RunConfig } from '../../run/config/config';
import { differences, fieldsOf, recordFrom, type Fields } from '../../run/config/fields';
import { presetOf, presets } from '../../run/config/presets';
import type { FormStore } from '../page/form-store';
import { withChoice } from './groups';

export type Form = Pick<FormStore, 'draft' | 'faults'>;

const fieldAt = (path: string) => formFields.find((field) => field.path === path);

/** Names of a choice field's values; empty for other fields. */
export const namesOf = (path: string): Readonly<Record<string, string>> => fieldAt(path)?.names ?? {};

/** Fields that differ from the preset; empty for settings of an unknown preset. */
export function changedFields(config: RunConfig): Fields {
  const preset = presetOf(config);
  return preset === null ? new Map() : differences(config, preset);
}

/**
 * Takes a text of the form. A text that is not accepted gives the field a fault, and the draft is unchanged. The texts
 * refused so far are then tried again: fewer steps may be accepted once the warm start is shorter.
 */
export function setField({ draft, faults }: Form, path: string, text: string): void {
  const typed = new Map([[path, text]]);
  for (const [other, fault] of faults.value) {
    if (other !== path && fault.text !== undefined) typed.set(other, fault.text);
  }
  const next = new Map(faults.value);
  for (const [field, its] of typed) {
    try {
      draft.value = withField(draft.value, field, its);
      next.delete(field);
    } catch (thrown) {
      if (!(thrown instanceof MarbleError)) throw thrown;
      next.set(field, { message: withLabels(thrown.message), text: its });
    }
  }
  faults.value = next;
}

/** @throws MarbleError of `checkRunConfig` */
function withField(config: RunConfig, path: string, text: string): RunConfig {
  const texts = new Map([...fieldsOf(withChoice(config, path, text)), [path, text.trim()]]);
  if (text.trim() === '' && fieldAt(path)?.optional === true) texts.delete(path);
  return checkRunConfig(recordFrom(texts));
}

/** Replaces the paths of fields in a message by their labels in the form. */
function withLabels(message: string): string {
  return message.replace(/\b[a-z]\w*(\.\w+)+\b/g, (path) => {
    const label = fieldAt(path)?.label;
    return label === undefined ? path : `“${label}”`;
  });
}

export function choosePreset({ draft, faults }: Form, preset: string): void {
  faults.value = new Map();
  draft.value = presets[preset];
}
