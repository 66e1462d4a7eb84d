import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random';
import { buildWeights } from '../../src/model/files/build-weights';
import { randomSupply } from './random-supply';
import { expectedTensors } from '../../src/model/files/tensor-table';
import { adaptable, adapterTensorName, attachLora } from '../../src/model/lora';
import { createTransformerPolicy } from '../../src/model/transformer-policy';
import { expectGradientsToMatchDifferences } from './gradients';
import { largestDifference } from './golden-policy';
import { adamW, continued, pulling, tinyConfig, tinyPolicy } from './tiny';
import { engine, openEngineForAll } from '../fixtures/engine';

describe('training on wasm', () => {
  openEngineForAll('wasm');

  it.each([
    ['a tied head, one key/value head', {}, null],
    ['an untied head, as many key/value heads as heads', { tiedHead: false, kvHeads: 3 }, null],
    [
      'norms on heads and no bias',
      { headNorm: true, attentionBias: false, architecture: 'qwen3' as const },
      null,
    ],
    ['an adapter of rank 3', {}, { rank: 3, alpha: 6, seed: 2 }],
  ])('has the gradients of the loss, with %s', async (_name, changes, lora) => {
    const policy = await tinyPolicy(engine, changes, lora);
    const names = policy.trainable.map(({ name }) => name);
    if (lora === null) expect(names).toEqual(expectedTensors(policy.config).map(({ name }) => name));
    else {
      // B is zero at first, which makes the gradient of A zero.
      const state = await policy.state();
      policy.restore({ ...state, parameters: state.parameters.map((value, i) => value + 0.2 * Math.sin(i)) });
    }
    await expectGradientsToMatchDifferences(policy);
  });

  it('has the gradients of the loss, with an adapter of some projections', async () => {
    const weights = await buildWeights(tinyConfig, randomSupply(5, 0.3));
    const random = createRandom(2);
    const matrices = adaptable(tinyConfig).filter(({ name }) => !/k_proj|gate_proj/.test(name));
    const tensors = matrices.flatMap((matrix) =>
      [0, 1].flatMap((layer) =>
        (['A', 'B'] as const).map((half, side): [string, Float32Array] => {
          const size = 3 * matrix.shape[1 - side];
          const data = Float32Array.from({ length: size }, () => 0.3 * random.normal());
          return [adapterTensorName(layer, matrix, half), data];
        }),
      ),
    );
    const saved = new Map(tensors);
    const read = (name: string) => Promise.resolve(saved.get(name) ?? null);
    await attachLora(weights, tinyConfig, { rank: 3, scale: 2 }, read);
    const adapter = { rank: 3, alpha: 6, useRslora: false, baseModel: null };
    const options = { engine, config: tinyConfig, weights, tokenizer: null, adapter, configJson: {} };
    const policy = createTransformerPolicy(options);
    expect(policy.trainable.map(({ name }) => name).sort()).toEqual([...saved.keys()].sort());
    await expectGradientsToMatchDifferences(policy);
  });

  it('computes equal log-probabilities in sampling and in training', async () => {
    const policy = await tinyPolicy(engine);
    const prompts = [[3, 4, 5, 6, 7], [9], [2, 2, 2]];
    const completions = await policy.generate(prompts, {
      samplesPerPrompt: 4,
      maxNewTokens: 17,
      temperature: 0.7,
      seed: 11,
      stopIds: [1],
    });
    const { sequences, lengths } = continued(prompts, completions);
    const trained = await policy.logprobs(sequences, lengths, { temperature: 0.7 });
    completions.forEach(({ logprobs, tokens, finished }, row) => {
      expect(finished).toBe(tokens.at(-1) === 1);
      expect(tokens.slice(0, -1)).not.toContain(1);
      logprobs.forEach((value, t) => expect(Math.abs(value - trained.logprobs[row][t])).toBeLessThan(1e-4));
    });
  });

  it('gives equal results for sequences with a shared prompt and for each sequence alone', async () => {
    const policy = await tinyPolicy(engine, { kvHeads: 1 }, null);
    const prompts = [
      [3, 4, 5, 6, 7, 8],
      [9, 2],
    ];
    const sequences = [[1, 2, 3, 4, 5], [6], [7, 7, 7], [8, 9, 10, 11], [12, 13], [14]].map(
      (response, index) => [...prompts[Math.floor(index / 3)], ...response],
    );
    const lengths = sequences.map((_, index) => prompts[Math.floor(index / 3)].length);
    // With different neighbouring prompts, sequences share nothing.
    const apart = [0, 3, 1, 4, 2, 5];
    const weigh = (rows: Float32Array[], order: number[]): Float32Array[] =>
      rows.map((row, index) => row.map((_, t) => Math.cos(order[index] + 2 * t)));
    const run = async (
      order: number[],
    ): Promise<{ logprobs: Float32Array[]; gradients: Record<string, Float32Array> }> => {
      const { logprobs } = await policy.backward(
        order.map((index) => sequences[index]),
        order.map((index) => lengths[index]),
        { objective: (tokens) => ({ logprobs: weigh(tokens.logprobs, order) }) },
      );
      const gradients = await policy.gradients();
      await policy.update(adamW(0));
      return { logprobs, gradients };
    };
    const together = await run([0, 1, 2, 3, 4, 5]);
    const alone = await run(apart);
    apart.forEach((index, at) => {
      expect(largestDifference(together.logprobs[index], alone.logprobs[at])).toBeLessThan(1e-5);
    });
    for (const [name, gradient] of Object.entries(alone.gradients)) {
      expect(largestDifference(together.gradients[name], gradient), name).toBeLessThan(2e-5);
    }
  });

  it('samples tokens that depend on the seed and not on the rest of the batch', async () => {
    const policy = await tinyPolicy(engine);
    const draw = async (seed: number, prompts: number[][]): Promise<number[][]> =>
      (
        await policy.generate(prompts, {
          samplesPerPrompt: 2,
          maxNewTokens: 12,
          temperature: 1,
          seed,
          stopIds: [1],
        })
      ).map(({ tokens }) => tokens);
    const both = await draw(1, [[3, 4], [5]]);
    expect(await draw(1, [[3, 4], [5]])).toEqual(both);
    expect(await draw(1, [[3, 4]])).toEqual(both.slice(0, 2));
    expect(await draw(2, [[3, 4], [5]])).not.toEqual(both);
  });

  it('keeps no tensor of a pass whose objective fails', async () => {
    const policy = await tinyPolicy(engine);
    await policy.logprobs([[3, 4, 5]], [1]); // creates the tables of positions
    const { numTensors } = tf.memory();
    const fails = (): never => {
      throw new Error('no objective');
    };
    await expect(policy.backward([[3, 4, 5]], [1], { objective: fails })).rejects.toThrow('no objective');
    expect(tf.memory().numTensors).toBe(numTensors);
  });

  it('starts an adapter as PEFT does: A uniform within 1 / sqrt(inputs), B zero', async () => {
    const policy = await tinyPolicy(engine, {}, { rank: 8, alpha: 8 });
    const { parameters } = await policy.state();
    let end = 0;
    for (const { name, shape } of policy.trainable) {
      const values = parameters.subarray(end, (end += shape[0] * shape[1]));
      const bound = name.includes('lora_A') ? 1 / Math.sqrt(shape[1]) : 0;
      for (const extreme of [Math.max(...values), -Math.min(...values)]) {
        expect(extreme, name).toBeLessThanOrEqual(bound);
        expect(extreme, name).toBeGreaterThanOrEqual(0.85 * bound);
      }
    }
  });

  it('does not apply a gradient that is not finite', async () => {
    const policy = await tinyPolicy(engine);
    const before = await policy.state();
    await policy.backward([[3, 4, 5]], [1], pulling(NaN));
    const { applied } = await policy.update(adamW(1e-2));
    expect(applied).toBe(false);
    expect(await policy.state()).toEqual(before);
  });
});
