import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/gpu/engine';
import { buildWeights, randomSupply } from '../../../src/model/files/build-weights';
import type { TokenGradients, TokenStatistics } from '../../../src/model/policy';
import { adaptable, attachSavedLora } from '../../../src/model/lora';
import { createTransformerPolicy } from '../../../src/model/transformer-policy';
import { createRandom } from '../../../src/base/random';
import { largestDifference } from '../golden-policy';
import { adamW, tinyConfig } from '../tiny';

/** Random matrices for a saved adapter of rank 6. */
function savedMatrix(name: string): Promise<Float32Array | null> {
  if (/k_proj|gate_proj/.test(name)) return Promise.resolve(null);
  const matrix = adaptable(tinyConfig).find((tensor) => name.includes(tensor.name.replace('.weight', '.')))!;
  const [outputs, inputs] = matrix.shape;
  const size = 6 * (name.includes('lora_A') ? inputs : outputs);
  const random = createRandom(name.length, size);
  return Promise.resolve(Float32Array.from({ length: size }, () => 0.3 * random.normal()));
}

/** Gradients of a model with an adapter without k and gate. */
async function gradientsOn(backend: 'webgpu' | 'wasm'): Promise<Record<string, Float32Array>> {
  const engine = await (backend === 'webgpu' ? openSharedEngine() : openEngine({ backend }));
  const weights = await buildWeights(tinyConfig, randomSupply(5, 0.3));
  await attachSavedLora(weights, tinyConfig, { rank: 6, scale: 2 }, savedMatrix);
  const adapter = { rank: 6, alpha: 12, useRslora: false, baseModel: null };
  const options = { engine, config: tinyConfig, weights, tokenizer: null, adapter, configJson: {} };
  const policy = createTransformerPolicy(options);
  const sequences = [
    [3, 4, 5, 6, 7, 8],
    [9, 10, 11],
  ];
  const objective = ({ logprobs }: TokenStatistics): TokenGradients => ({
    logprobs: logprobs.map((row, index) => row.map(() => 1 - 3 * index)),
  });
  await policy.backward(sequences, [2, 1], { objective });
  await policy.update(adamW(0.1));
  await policy.backward(sequences, [2, 1], { objective });
  await policy.backward(sequences, [1, 2], { objective }); // accumulated
  const gradients = await policy.gradients();
  const kept = Object.fromEntries(Object.entries(gradients).map(([name, values]) => [name, values.slice()]));
  policy.dispose();
  engine.dispose();
  return kept;
}

it('every matrix of an adapter gets its part of joint gradients', async () => {
  const expected = await gradientsOn('wasm');
  const actual = await gradientsOn('webgpu');
  const names = Object.keys(expected);
  expect(Object.keys(actual).sort()).toEqual(names.sort());
  expect(names.some((name) => name.includes('q_proj'))).toBe(true);
  expect(names.some((name) => name.includes('k_proj'))).toBe(false);
  for (const name of names) {
    const scale = Math.max(1e-3, ...expected[name].map(Math.abs));
    expect(largestDifference(actual[name], expected[name]) / scale, name).toBeLessThan(2e-3);
  }
});
