/** The Qwen2 and stories fixtures against a policy on whichever backend: one body, run by a unit and a WebGPU test. */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import type { Policy } from '../../src/model/policy';
import { hasShared, readSharedJson, sharedFiles } from '../fixtures/shared';

interface GoldenModel {
  input_ids: number[][];
  logits: number[][][];
  logits_adapter: number[][][];
  greedy_from_6: number[][];
}

export function largestDifference(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length);
  let largest = 0;
  for (let i = 0; i < actual.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    if (!(difference <= largest)) largest = difference; // NaN is never small
  }
  return largest;
}

async function withPolicy(policy: Promise<Policy>, body: (policy: Policy) => Promise<void>): Promise<void> {
  const loaded = await policy;
  try {
    await body(loaded);
  } finally {
    loaded.dispose();
  }
}

export function describeGoldenPolicies(name: string, engine: () => Engine): void {
  for (const fixture of ['qwen2-tied', 'qwen2-untied']) {
    describe.skipIf(!hasShared(`fixtures/${fixture}`))(`${fixture} on ${name}`, () => {
      const golden = readSharedJson<GoldenModel>(`fixtures/${fixture}/golden.json`);
      const source = sharedFiles(`fixtures/${fixture}`, ['config.json', 'model.safetensors']);

      it('gives the float64 logits within 1e-3', async () => {
        await withPolicy(loadPolicy(engine(), source), async (policy) => {
          const logits = await policy.logits(golden.input_ids);
          golden.logits.forEach((rows, index) => {
            expect(largestDifference(logits[index], rows.flat())).toBeLessThan(1e-3);
          });
        });
      });

      it('continues greedily with the same ids, through the cache', async () => {
        await withPolicy(loadPolicy(engine(), source), async (policy) => {
          const prompts = golden.input_ids.map((ids) => ids.slice(0, 6));
          const completions = await policy.generate(prompts, {
            samplesPerPrompt: 1,
            maxNewTokens: golden.greedy_from_6[0].length,
            temperature: 0,
            seed: 1,
            stopIds: [],
          });
          expect(completions.map(({ tokens }) => tokens)).toEqual(golden.greedy_from_6);
        });
      });
    });
  }
}
