/**
 * SHA-256 of a record with typed arrays, to verify a checkpoint before a run resumes from it.
 *
 * The hashed text is the record's JSON with sorted names and each typed array as its type and length, followed by the
 * SHA-256 of each array. Arrays are hashed in place, without a copy or a conversion to text.
 */
import { sha256 } from '../base/digest';

/** For `JSON.stringify`: a copy of an object whose names are in alphabetical order. Returns other values unchanged. */
function withSortedNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @returns 64 hexadecimal digits, equal for a record and its structured clone */
export async function recordHash(record: unknown): Promise<string> {
  const arrays: ArrayBufferView<ArrayBuffer>[] = [];
  const text = JSON.stringify(record, (name, value: unknown) => {
    if (ArrayBuffer.isView(value)) {
      arrays.push(value as ArrayBufferView<ArrayBuffer>);
      return `${value.constructor.name} of ${value.byteLength} bytes`;
    }
    return withSortedNames(name, value);
  });
  const hashes = await Promise.all(arrays.map(sha256));
  return sha256(new TextEncoder().encode([text, ...hashes].join('\n')));
}
