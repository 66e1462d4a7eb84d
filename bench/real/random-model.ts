/** Writes a model of random bf16 weights: `node scripts/run.mjs bench/real/random-model.ts CONFIG.json FOLDER`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { parseModelConfig } from '../../src/model/config';
import { writeSafetensors, type TensorToWrite } from '../../src/model/files/safetensors';
import { elementsOf, expectedTensors } from '../../src/model/files/tensor-table';

const [configFile, folder] = process.argv.slice(2);
const json = await readFile(configFile, 'utf8');
let state = 1;
const tensors = expectedTensors(parseModelConfig(JSON.parse(json))).map((tensor): TensorToWrite => {
  const isNorm = tensor.name.endsWith('norm.weight');
  const bits = new Uint16Array(elementsOf(tensor));
  for (let i = 0; i < bits.length; i++) bits[i] = isNorm ? 0x3f80 : randomBits();
  return { ...tensor, dtype: 'BF16', data: new Uint8Array(bits.buffer) };
});
await mkdir(folder, { recursive: true });
await writeFile(`${folder}/config.json`, json);
await writeFile(`${folder}/model.safetensors`, writeSafetensors(tensors).stream());

/** A bf16 of either sign between 2^-7 and 2^-4, by xorshift, because half a billion numbers are drawn. */
function randomBits(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  const exponent = 120 + ((state >>> 8) % 3);
  return ((state & 1) << 15) | (exponent << 7) | ((state >>> 16) & 0x7f);
}
