/**
 * Compares policies on any backend with the Qwen2 and stories fixtures. Shared by a unit test and a WebGPU test. Policies
 * are freed with the engine.
 */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { computeAdvantages } from '../../src/objective/advantages';
import { algorithms } from '../../src/objective/algorithm';
import { policyLoss, type LossReport } from '../../src/objective/loss';
import { hasShared, readSharedJson, sharedFiles } from '../fixtures/shared';

interface GoldenModel {
  input_ids: number[][];
  /** Positions with stored logits; omitted: all. */
  positions?: number[];
  logits: number[][][];
  logits_adapter: number[][][];
  greedy_from_6: number[][];
  reinforce_pp: {
    prompt_len: number;
    response_lens: number[];
    clip_eps: number;
    kl_beta: number;
    rewards: number[];
    old_logprobs: number[][];
    logprobs: number[][];
    ref_logprobs: number[][];
    entropy: number[][];
    advantages: number[][];
    loss_token_mean: number;
    grad_norm: number;
    grads: Record<string, number[]>;
  };
}

const adapterFiles = ['adapter_config.json', 'adapter_model.safetensors'];

export function largestDifference(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length);
  let largest = 0;
  for (let i = 0; i < actual.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    if (!(difference <= largest)) largest = difference; // true for NaN
  }
  return largest;
}

const expectWithin = (limit: number, actual: ArrayLike<number>, expected: ArrayLike<number>): void =>
  expect(largestDifference(actual, expected)).toBeLessThan(limit);

/** Concatenates the rows of `logits` ([T*V]) at the positions with stored logits. */
function kept(golden: GoldenModel, logits: Float32Array): Float32Array {
  const { positions, input_ids: ids } = golden;
  if (positions === undefined) return logits;
  const size = logits.length / ids[0].length;
  return Float32Array.from(positions.flatMap((t) => [...logits.subarray(t * size, (t + 1) * size)]));
}

export const bothModels = ['qwen2-tied', 'qwen2-untied'];

const greedy = { samplesPerPrompt: 1, temperature: 0, seed: 1, stopIds: [] };

export function describeGoldenPolicies(
  name: string,
  engine: () => Engine,
  models: readonly string[] = bothModels,
): void {
  for (const fixture of models) {
    if (!hasShared(`fixtures/${fixture}`)) {
      it.skip(`${fixture} on ${name} needs ../shared`, () => undefined);
      continue;
    }
    describe(`${fixture} on ${name}`, () => {
      const golden = readSharedJson(`fixtures/${fixture}/golden.json`) as GoldenModel;
      const source = sharedFiles(`fixtures/${fixture}`, ['config.json', 'model.safetensors']);

      const adapter = sharedFiles(`fixtures/${fixture}/adapter`, adapterFiles);

      it('gives the float64 logits with the adapter within 1e-3, and without it when it is off', async () => {
        const policy = await loadPolicy(engine(), source, { adapter });
        const on = await policy.logits(golden.input_ids);
        const off = await policy.logits(golden.input_ids, { adapter: 'off' });
        golden.input_ids.forEach((_, index) => {
          expectWithin(1e-3, kept(golden, on[index]), golden.logits_adapter[index].flat());
          expectWithin(1e-3, kept(golden, off[index]), golden.logits[index].flat());
        });
      });

      it('takes the REINFORCE++ step of the fixture: logprobs, advantages, loss and every LoRA gradient', async () => {
        const step = golden.reinforce_pp;
        const policy = await loadPolicy(engine(), source, { adapter });
        const sequences = golden.input_ids.map((ids, row) =>
          ids.slice(0, step.prompt_len + step.response_lens[row]),
        );
        const lengths = sequences.map(() => step.prompt_len);
        const reference = await policy.logprobs(sequences, lengths, { adapter: 'off' });
        const algorithm = {
          ...algorithms['reinforce++'],
          clipLow: step.clip_eps,
          clipHigh: step.clip_eps,
          kl: { ...algorithms['reinforce++'].kl, coefficient: step.kl_beta },
        };
        const advantages = computeAdvantages(
          step.rewards.map((reward, row) => ({
            reward,
            group: row,
            logprobs: step.old_logprobs[row],
            refLogprobs: reference.logprobs[row],
          })),
          algorithm,
        );
        let report: LossReport | null = null;
        const statistics = await policy.backward(sequences, lengths, {
          objective: ({ logprobs }) => {
            report = policyLoss(logprobs, step.old_logprobs, null, advantages, algorithm);
            return { logprobs: report.gradient.map((row) => Float32Array.from(row)) };
          },
        });
        sequences.forEach((_, row) => {
          expectWithin(1e-3, reference.logprobs[row], step.ref_logprobs[row]);
          expectWithin(1e-3, statistics.logprobs[row], step.logprobs[row]);
          expectWithin(1e-3, statistics.entropies[row], step.entropy[row]);
          expectWithin(1e-4, advantages[row], step.advantages[row]);
        });
        expect(Math.abs(report!.loss - step.loss_token_mean)).toBeLessThan(1e-5);
        const gradients = await policy.gradients();
        let squares = 0;
        for (const [name, expected] of Object.entries(step.grads)) {
          const gradient = gradients[`base_model.model.${name}.weight`];
          const norm = Math.hypot(...expected);
          const difference = Math.hypot(...gradient.map((value, i) => value - expected[i]));
          expect(difference / norm, name).toBeLessThan(1e-3);
          squares += norm * norm;
        }
        expect(Math.sqrt(squares)).toBeCloseTo(step.grad_norm, 4);
      });

      it('continues greedily with the same ids, through the cache', async () => {
        const policy = await loadPolicy(engine(), source);
        const completions = await policy.generate(
          golden.input_ids.map((ids) => ids.slice(0, 6)),
          { ...greedy, maxNewTokens: golden.greedy_from_6[0].length },
        );
        expect(completions.map(({ tokens }) => tokens)).toEqual(golden.greedy_from_6);
      });
    });
  }
}

interface Expected {
  ids: number[];
  next_token_logprob: number[];
  logits: Record<string, number[]>;
}

/** @param length length of the continuation; its first token is known */
export function describeStories(name: string, engine: () => Engine, length = 257): void {
  describe.skipIf(!hasShared('fixtures/stories260K'))(
    `stories260K, a model that was really trained, on ${name}`,
    () => {
      it(`continues with the ${length} ids and the logits that llama2.c gives`, async () => {
        const expected = readSharedJson('fixtures/stories260K/expected_greedy.json') as Expected;
        const policy = await loadPolicy(
          engine(),
          sharedFiles('fixtures/stories260K/hf-qwen2-layout', ['config.json', 'model.safetensors']),
        );
        const options = { ...greedy, maxNewTokens: length - 1 };
        const [completion] = await policy.generate([expected.ids.slice(0, 1)], options);
        expect(completion.tokens).toEqual(expected.ids.slice(1, length));
        expectWithin(1e-3, completion.logprobs, expected.next_token_logprob.slice(0, length - 1));
        const [logits] = await policy.logits([expected.ids.slice(0, 32)]);
        for (const [position, row] of Object.entries(expected.logits)) {
          const start = Number(position) * policy.config.vocabularySize;
          expectWithin(1e-3, logits.subarray(start, start + row.length), row);
        }
      });
    },
  );
}
