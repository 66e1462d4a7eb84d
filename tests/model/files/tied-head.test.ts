import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../src/model/load-policy';
import { openWeights, PART_BYTES, resolveHead } from '../../../src/model/files/weights-reader';
import { readFloat32 } from '../../../src/model/files/half-floats';
import { writeSafetensors, type TensorToWrite } from '../../../src/model/files/safetensors';
import { openSource, type ModelSource } from '../../../src/model/source/source';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { hasShared, sharedFiles } from '../../fixtures/shared';
import { refusalTextOf } from '../refusal';
import { tinyConfig } from '../tiny';

openEngineForAll('wasm');

const EMBEDDING = 'model.embed_tokens.weight';
const HEAD = 'lm_head.weight';
const model = sharedFiles('fixtures/qwen2-tied', ['config.json', 'model.safetensors']);

/** The model with changed tensors. */
async function changed(change: (tensors: Map<string, TensorToWrite>) => void): Promise<typeof model> {
  const checkpoint = await openWeights(await openSource(model));
  const tensors = new Map<string, TensorToWrite>();
  for (const tensor of checkpoint.values()) {
    const { name, shape } = tensor;
    tensors.set(name, { name, shape, dtype: 'F32', data: await readFloat32(tensor) });
  }
  change(tensors);
  return { files: { ...model.files, 'model.safetensors': writeSafetensors([...tensors.values()]) } };
}

const logitsOf = async (source: ModelSource): Promise<Float32Array[]> =>
  (await loadPolicy(engine, source)).logits([[3, 4, 5, 6, 7]]);

describe('a model whose config ties the head to the embedding', () => {
  it('is tied if the file has an equal head or only the head', async () => {
    const logits = await logitsOf(model);
    const both = await changed((tensors) => tensors.set(HEAD, { ...tensors.get(EMBEDDING)!, name: HEAD }));
    const alone = await changed((tensors) => {
      tensors.set(HEAD, { ...tensors.get(EMBEDDING)!, name: HEAD });
      tensors.delete(EMBEDDING);
    });
    for (const source of [both, alone]) {
      expect(await logitsOf(source)).toEqual(logits);
      const policy = await loadPolicy(engine, source);
      expect(policy.config.tiedHead).toBe(true);
      expect((await policy.state()).layout?.tensors.map(({ name }) => name)).not.toContain(HEAD);
    }
  });

  it('has a separate head if the file has other values, also after export', async () => {
    const doubled = await changed((tensors) => {
      const embedding = tensors.get(EMBEDDING)!;
      const data = (embedding.data as Float32Array).map((value) => 2 * value);
      tensors.set(HEAD, { ...embedding, name: HEAD, data });
    });
    const twice = (await logitsOf(model)).map((row) => row.map((value) => 2 * value));
    expect(await logitsOf(doubled)).toEqual(twice);
    const config = JSON.parse(await doubled.files['config.json'].text()) as object;
    const halves = { ...config, torch_dtype: 'bfloat16', dtype: 'bfloat16' };
    const files = { ...doubled.files, 'config.json': new Blob([JSON.stringify(halves)]) };
    const exported = await (await loadPolicy(engine, { files })).exportModel();
    const written = JSON.parse(await exported['config.json'].text()) as object;
    expect(written).toMatchObject({ tie_word_embeddings: false, torch_dtype: 'float32' });
    expect(written).not.toHaveProperty('dtype');
    expect(await logitsOf({ files: exported })).toEqual(twice);
  });

  it('is rejected by name if the head has another shape', async () => {
    const source = await changed((tensors) => {
      const embedding = tensors.get(EMBEDDING)!;
      tensors.set(HEAD, { ...embedding, name: HEAD, shape: [...embedding.shape].reverse() });
    });
    expect(await refusalTextOf(() => loadPolicy(engine, source))).toContain(HEAD);
  });
});

it('the comparison of head and embedding reads all parts', async () => {
  const rows = PART_BYTES / 16;
  const data = new Float32Array(rows * 8); // two parts
  const shape = [rows, 8];
  const file = writeSafetensors([
    { name: EMBEDDING, dtype: 'F32', shape, data },
    { name: HEAD, dtype: 'F32', shape, data: data.with(-1, 1) },
  ]);
  const checkpoint = await openWeights(await openSource({ files: { 'model.safetensors': file } }));
  const { config } = await resolveHead({ ...tinyConfig, tiedHead: true }, checkpoint);
  expect(config.tiedHead).toBe(false);
});

const folder = 'cases/tied-other-head';
it.skipIf(!hasShared(folder))('the logits are those of transformers 5', async () => {
  const files = ['config.json', 'model.safetensors'];
  // First logits after the tokens 3, 4, 5, 6, 7 in transformers 5.18 with float32.
  const expected = {
    model: [-0.10208, 0.227869, 0.116327, -0.177962, -0.006734, 0.079757],
    'lmhead-only': [0.046529, -0.010306, -0.027291, -0.091827, -0.133434, -0.270185],
  };
  for (const [name, logits] of Object.entries(expected)) {
    const [rows] = await logitsOf(sharedFiles(`${folder}/${name}`, files));
    const last = rows.subarray(rows.length - 64);
    logits.forEach((logit, token) => expect(last[token]).toBeCloseTo(logit, 5));
  }
});
