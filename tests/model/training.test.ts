import { describe, expect, it } from 'vitest';
import { expectGradientsToMatchDifferences, gradientCases } from './gradients';
import { adamW, continued, pulling, tinyPolicy } from './tiny';
import { engine, openEngineForAll } from '../fixtures/engine';

describe('training on wasm', () => {
  openEngineForAll('wasm');

  it.each(gradientCases)('has the gradients of the loss, with %s', async (_name, changes, lora) =>
    expectGradientsToMatchDifferences(engine, changes, lora),
  );

  it('computes equal log-probabilities in sampling and in training, which shares prompts', async () => {
    const policy = await tinyPolicy(engine);
    const prompts = [
      [3, 4, 5, 6, 7],
      [9, 3],
      [2, 2, 2],
    ];
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

  it('samples tokens that depend on the seed and not on the rest of the batch', async () => {
    const policy = await tinyPolicy(engine);
    const options = { samplesPerPrompt: 2, maxNewTokens: 12, temperature: 1, stopIds: [1] };
    const draw = async (seed: number, prompts: number[][]): Promise<number[][]> =>
      (await policy.generate(prompts, { ...options, seed })).map(({ tokens }) => tokens);
    const both = await draw(1, [[3, 4], [5]]);
    expect(await draw(1, [[3, 4], [5]])).toEqual(both);
    expect(await draw(1, [[3, 4]])).toEqual(both.slice(0, 2));
    expect(await draw(2, [[3, 4], [5]])).not.toEqual(both);
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
