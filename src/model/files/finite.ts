/** Checks that weights are finite while they load, which costs less than reading them. */
import { MarbleError } from '../../base/error';

/** True if all bf16 values are finite. Infinity and NaN have all bits of the exponent. */
export function areFiniteBfloat16(bytes: Uint8Array<ArrayBuffer>): boolean {
  const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  for (let index = 0; index < halves.length; index++) if ((halves[index] & 0x7f80) === 0x7f80) return false;
  return true;
}

/** True if all values are finite. A product with 0 is NaN for Infinity and NaN. */
export function areFinite(values: Float32Array): boolean {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += 0 * values[index];
  return sum === 0;
}

/**
 * With one weight that is not finite all answers are alike, and nothing can be trained.
 *
 * @throws MarbleError `model/weights-not-finite`
 */
export function requireFinite(name: string, isFinite: boolean): void {
  if (isFinite) return;
  throw new MarbleError(
    'model/weights-not-finite',
    `The tensor ${name} holds numbers that are not finite.`,
    'The file is damaged, or was saved after its training had diverged: fetch it again, or choose another model.',
  );
}
