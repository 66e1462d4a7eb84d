import '@tensorflow/tfjs-backend-cpu';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { savedWeights, trainedTensors, type SavedTraining } from '../../src/model/saved-weights';
import { refusalOf } from './refusal';
import { tinyPolicy } from './tiny';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'cpu' });
});
afterAll(() => engine.dispose());

const bytesOf = async (files: Record<string, Blob>): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(files).map(async ([name, blob]) => [
        name,
        Buffer.from(await blob.arrayBuffer()).toString('base64'),
      ]),
    ),
  ) as Record<string, string>;

describe('the weights in a checkpoint', () => {
  const models = [
    {},
    { tiedHead: false, kvHeads: 3 },
    { architecture: 'qwen3' as const, headNorm: true, attentionBias: false },
  ];

  it.each(models)('are the files that the model itself exports, trained in full (%o)', async (changes) => {
    const policy = await tinyPolicy(engine, changes);
    const { parameters } = await policy.state();
    expect(trainedTensors(policy.config, { mode: 'full' })).toEqual(
      policy.trainable.map(({ name, shape }) => ({ name, shape })),
    );
    const { 'model.safetensors': weights } = await policy.exportModel();
    expect(await bytesOf(savedWeights(policy.config, { mode: 'full' }, parameters, null))).toEqual(
      await bytesOf({ 'model.safetensors': weights }),
    );
    policy.dispose();
  });

  it('are the adapter that the model itself exports', async () => {
    const training: SavedTraining = { mode: 'lora', rank: 3, alpha: 5 };
    const policy = await tinyPolicy(engine, {}, { rank: 3, alpha: 5, seed: 2 });
    const { parameters } = await policy.state();
    expect(await bytesOf(savedWeights(policy.config, training, parameters, null))).toEqual(
      await bytesOf(await policy.exportAdapter()),
    );
    policy.dispose();
  });

  it('of another model are refused', async () => {
    const policy = await tinyPolicy(engine);
    const { parameters } = await policy.state();
    const other = { ...policy.config, layers: 3 };
    expect(await refusalOf(() => savedWeights(other, { mode: 'full' }, parameters, null))).toBe(
      'model/saved-weights',
    );
    policy.dispose();
  });
});
