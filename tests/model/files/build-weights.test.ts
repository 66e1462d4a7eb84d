import { expect, it } from 'vitest';
import { checkpointSupply } from '../../../src/model/files/build-weights';
import { openWeights } from '../../../src/model/files/weights-reader';
import { toBfloat16 } from '../../../src/model/files/half-floats';
import { writeSafetensors } from '../../../src/model/files/safetensors';
import { openSource } from '../../../src/model/source/source';
import { openEngineForAll } from '../../fixtures/engine';

openEngineForAll('wasm');

const values = Float32Array.from({ length: 15 }, (_, index) => Math.fround(1 / (index + 3)));

it.each([
  ['F32', values],
  ['BF16', toBfloat16(values)],
] as const)('a matrix stored in %s can be loaded as bf16', async (dtype, data) => {
  const file = writeSafetensors([{ name: 'w', dtype, shape: [5, 3], data }]);
  const checkpoint = await openWeights(await openSource({ files: { 'model.safetensors': file } }));
  const supply = checkpointSupply(checkpoint, 'bf16', false);
  const weight = await supply.matrix([{ name: 'w', shape: [5, 3] }]);
  expect(weight).toMatchObject({ format: 'bf16', outputs: 5, inputs: 3 });
  const words = weight.data.dataSync() as Int32Array;
  expect([...new Uint16Array(words.buffer, words.byteOffset, 16)]).toEqual([...toBfloat16(values), 0]);
  weight.data.dispose();
});
