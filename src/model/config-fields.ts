/** Readers for single fields of a `config.json`. Their errors contain the name and value of the field. */
import { MarbleError } from '../base/error';
import { shown } from '../base/untrusted';

export type Fields = Record<string, unknown>;

/** Error for another architecture, a missing or invalid value, or a value that needs arithmetic that Marble does not implement. */
export function refuse(kind: 'architecture' | 'value' | 'unsupported', message: string): MarbleError {
  return new MarbleError(
    `model/config-${kind}`,
    `config.json: ${message}`,
    'Choose a qwen2, qwen3 or llama model in the plain Hugging Face layout, such as Qwen/Qwen2.5-0.5B-Instruct.',
  );
}

/** Reads an integer in [1, limit]; returns `fallback` if the field is missing or null. */
export function countField(fields: Fields, name: string, limit: number, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > limit) {
    throw refuse('value', `${name} is ${shown(value)}, not a whole number from 1 to ${limit}.`);
  }
  return value;
}

/** Reads a positive number; returns `fallback` if the field is missing or null. */
export function positiveField(fields: Fields, name: string, fallback?: number): number {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refuse('value', `${name} is ${shown(value)}, not a positive number.`);
  }
  return value;
}

/** Reads a boolean; returns false if the field is missing or null. */
export function flagField(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean')
    throw refuse('value', `${name} is ${shown(value)}, neither true nor false.`);
  return value;
}

/** Splits a text into names at white space. */
export const names = (text: string): readonly string[] => text.trim().split(/\s+/);
