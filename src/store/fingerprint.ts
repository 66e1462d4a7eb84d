/**
 * SHA-256 of a record that holds typed arrays, so that a checkpoint is known to be whole before a run goes on from it.
 *
 * The hash is of the record's JSON with sorted names, in which every typed array stands as its type, length and own
 * SHA-256: arrays are hashed where they lie, and never copied or written as text.
 */
import { sha256 } from '../base/digest';

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @returns 64 hexadecimal digits, equal for a record and its structured clone */
export async function fingerprint(record: unknown): Promise<string> {
  const arrays: ArrayBufferView<ArrayBuffer>[] = [];
  const text = JSON.stringify(record, (_, value: unknown) => {
    if (ArrayBuffer.isView(value)) {
      arrays.push(value as ArrayBufferView<ArrayBuffer>);
      return `${value.constructor.name} of ${value.byteLength} bytes`;
    }
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? sorted(value) : value;
  });
  const hashes = await Promise.all(arrays.map(sha256));
  return sha256(new TextEncoder().encode([text, ...hashes].join('\n')));
}
