/** Converts stored weights to float32 and back. bf16 is the upper half of a float32: widening is exact, narrowing rounds once. */
import { MarbleError } from '../../base/error';
import type { StoredTensor, TensorDtype } from './safetensors';

/** Unit in the last place by exponent; exponents 0 and 1 share theirs. A table, since computing powers would dominate the time. */
const POWERS = Float64Array.from({ length: 31 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 25));

/** Widens IEEE half precision: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
export function widenHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * ((exponent && 1024) + fraction) * POWERS[exponent];
}

/**
 * Converts a tensor's bytes to float32, exactly for all three dtypes. For F32 the result is a view of the same memory.
 *
 * @param bytes bytes whose offset in their buffer is a multiple of the dtype's size
 * @throws MarbleError `model/tensor-dtype` for dtypes other than F32, BF16 and F16
 */
export function toFloat32(bytes: Uint8Array, dtype: TensorDtype): Float32Array<ArrayBuffer> {
  const buffer = bytes.buffer as ArrayBuffer;
  if (dtype === 'F32') return new Float32Array(buffer, bytes.byteOffset, bytes.byteLength / 4);
  const halves = new Uint16Array(buffer, bytes.byteOffset, bytes.byteLength / 2);
  if (dtype === 'BF16') {
    const words = new Uint32Array(halves.length);
    for (let index = 0; index < halves.length; index++) words[index] = halves[index] << 16;
    return new Float32Array(words.buffer);
  }
  if (dtype === 'F16') return Float32Array.from(halves, widenHalf);
  throw new MarbleError(
    'model/tensor-dtype',
    `Weights of dtype ${dtype} cannot be read as numbers.`,
    'Save the model in bfloat16, float16 or float32.',
  );
}

/** Reads a whole tensor as float32. */
export async function readFloat32({ dtype, read }: StoredTensor): Promise<Float32Array<ArrayBuffer>> {
  return toFloat32(await read(), dtype);
}

/** Rounds float32 to bf16, to nearest with ties to even; NaN stays NaN. */
export function toBfloat16(values: Float32Array): Uint16Array<ArrayBuffer> {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    const isNaN = (word & 0x7fffffff) > 0x7f800000;
    halves[index] = isNaN ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return halves;
}

/**
 * Converts a tensor's bytes to bf16. BF16 is returned unchanged, other dtypes are rounded.
 *
 * @throws MarbleError `model/tensor-dtype`, like `toFloat32`
 */
export function bfloat16Of(bytes: Uint8Array<ArrayBuffer>, dtype: TensorDtype): Uint16Array<ArrayBuffer> {
  if (dtype !== 'BF16') return toBfloat16(toFloat32(bytes, dtype));
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

/** True if all values are finite, in float32 or bf16. */
function areFinite(values: Float32Array | Uint16Array): boolean {
  if (values instanceof Uint16Array) {
    // Infinity and NaN have all bits of the exponent.
    for (let index = 0; index < values.length; index++) if ((values[index] & 0x7f80) === 0x7f80) return false;
    return true;
  }
  let sum = 0; // a product with 0 is NaN for Infinity and NaN
  for (let index = 0; index < values.length; index++) sum += 0 * values[index];
  return sum === 0;
}

/**
 * Checks weights in float32 or bf16 while they load. With one that is not finite all answers are alike, and nothing can be
 * trained.
 *
 * @throws MarbleError `model/weights-not-finite`
 */
export function requireFinite(name: string, values: Float32Array | Uint16Array): void {
  if (areFinite(values)) return;
  throw new MarbleError(
    'model/weights-not-finite',
    `The tensor ${name} holds numbers that are not finite.`,
    'The file is damaged, or was saved after its training had diverged: fetch it again, or choose another model.',
  );
}
