/** Weights as stored, as 32-bit floats. bf16 is the upper half of a float32, so both ways are exact or one rounding. */
import { MarbleError } from '../../base/error';
import type { TensorDtype } from './safetensors';

/** Units of the last place by exponent; the least two share theirs. A power takes as long as the rest of a block. */
const POWERS = Float64Array.from({ length: 31 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 25));

/** IEEE half precision, widened: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
export function widenHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * ((exponent && 1024) + fraction) * POWERS[exponent];
}

/**
 * A tensor's bytes as numbers; exact for all three dtypes. F32 is a view of the same memory.
 *
 * @param bytes at an offset of its buffer that is a multiple of the dtype's size
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

/** Float32 rounded to bf16, to nearest and ties to even; NaN stays NaN. */
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
 * A tensor's bytes as bf16, two bytes a value: BF16 passes as it is, other dtypes are rounded.
 *
 * @throws MarbleError `model/tensor-dtype` as `toFloat32`
 */
export function toBfloat16Bytes(bytes: Uint8Array<ArrayBuffer>, dtype: TensorDtype): Uint8Array<ArrayBuffer> {
  return dtype === 'BF16' ? bytes : new Uint8Array(toBfloat16(toFloat32(bytes, dtype)).buffer);
}
