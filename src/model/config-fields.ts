/** Reads single fields of a `config.json`, with errors that name the field and show the value. */
import { MarbleError } from '../base/error';
import { shown } from '../base/untrusted';

export type Fields = Record<string, unknown>;

/** Another kind of model, a value that is missing or impossible, or one that changes the arithmetic to what Marble does not compute. */
export function refuse(kind: 'architecture' | 'value' | 'unsupported', message: string): MarbleError {
  return new MarbleError(
    `model/config-${kind}`,
    `config.json: ${message}`,
    'Choose a qwen2, qwen3 or llama model in the plain Hugging Face layout, such as Qwen/Qwen2.5-0.5B-Instruct.',
  );
}

/** A field as an integer in [1, limit]; `fallback` where the field is absent or null. */
export function countField(fields: Fields, name: string, limit: number, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > limit) {
    throw refuse('value', `${name} is ${shown(value)}, not a whole number from 1 to ${limit}.`);
  }
  return value;
}

/** A field as a positive number; `fallback` where the field is absent or null. */
export function positiveField(fields: Fields, name: string, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refuse('value', `${name} is ${shown(value)}, not a positive number.`);
  }
  return value;
}

/** A field as true or false; false where it is absent or null. */
export function flagField(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean')
    throw refuse('value', `${name} is ${shown(value)}, neither true nor false.`);
  return value;
}

/** Names that stand in a text, between white space. */
export const names = (text: string): readonly string[] => text.trim().split(/\s+/);
