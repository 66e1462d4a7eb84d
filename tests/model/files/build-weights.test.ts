import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { checkpointSupply, type TensorSupply } from '../../../src/model/files/build-weights';
import { openWeights, PART_BYTES } from '../../../src/model/files/weights-reader';
import { toBfloat16, toFloat32 } from '../../../src/model/files/half-floats';
import { writeSafetensors, type TensorToWrite } from '../../../src/model/files/safetensors';
import { openSource } from '../../../src/model/source/source';
import { errorOf } from '../refusal';
import { openEngineForAll } from '../../fixtures/engine';

openEngineForAll('wasm');

const values = Float32Array.from({ length: 15 }, (_, index) => Math.fround(1 / (index + 3)));

async function supplyOf(tensors: readonly TensorToWrite[], format: 'f32' | 'bf16'): Promise<TensorSupply> {
  const files = { 'model.safetensors': writeSafetensors(tensors) };
  return checkpointSupply(await openWeights(await openSource({ files })), format, false);
}

it.each([
  ['F32', values],
  ['BF16', toBfloat16(values)],
  ['F16', new Uint16Array(15).fill(0x3555)],
] as const)('two matrices stored in %s can be loaded as one of bf16', async (dtype, data) => {
  const parts = [
    { name: 'q', dtype, shape: [5, 3], data },
    { name: 'k', dtype, shape: [4, 3], data: data.subarray(0, 12) },
  ];
  const weight = await (await supplyOf(parts, 'bf16')).matrix(parts);
  expect(weight).toMatchObject({ format: 'bf16', outputs: 9, inputs: 3 });
  const words = weight.data.dataSync() as Int32Array;
  const expected = dtype === 'F16' ? new Uint16Array(15).fill(0x3eab) : toBfloat16(values);
  // the second matrix starts within a word
  const loaded = [...new Uint16Array(words.buffer, words.byteOffset, 28)];
  expect(loaded).toEqual([...expected, ...expected.subarray(0, 12), 0]);
});

it.each(['f32', 'bf16'] as const)('a matrix of several parts can be loaded as %s', async (format) => {
  const shape = [5, PART_BYTES / 8]; // two rows in a part
  const data = Float32Array.from({ length: 5 * shape[1] }, (_, index) => Math.floor(index / 7) % 251);
  const supply = await supplyOf([{ name: 'w', dtype: 'F32', shape, data }], format);
  const weight = await supply.matrix([{ name: 'w', shape }]);
  const { buffer, byteOffset, byteLength } = weight.data.dataSync();
  const values = toFloat32(new Uint8Array(buffer, byteOffset, byteLength), format === 'f32' ? 'F32' : 'BF16');
  expect(isDeepStrictEqual(values, data)).toBe(true);
});

it.each(
  (['f32', 'bf16'] as const).flatMap((format) =>
    [NaN, Infinity, -Infinity].flatMap((value) =>
      (['F32', 'F16', 'BF16'] as const).map((dtype) => [format, dtype, value] as const),
    ),
  ),
)('a weight loaded as %s from %s with the value %s is refused by name', async (format, dtype, value) => {
  const bad = values.with(14, value);
  const half = new Uint16Array(15)
    .fill(0x3800)
    .with(14, Number.isNaN(value) ? 0x7e00 : value > 0 ? 0x7c00 : 0xfc00);
  const data = { F32: bad, F16: half, BF16: toBfloat16(bad) }[dtype];
  const w = { name: 'w', dtype, shape: [5, 3], data };
  const norm = { name: 'norm', dtype, shape: [15], data };
  const supply = await supplyOf([w, norm], format);
  const refused = { code: 'model/weights-not-finite' };
  const matrix = await errorOf(() => supply.matrix([w]));
  expect(matrix).toMatchObject({ ...refused, message: 'The tensor w holds numbers that are not finite.' });
  expect(await errorOf(() => supply.vector([norm]))).toMatchObject(refused);
});
