/**
 * The loss that the GPU computes, which is its log-probabilities and entropies put through the objective, against the
 * same loss written down once more in float64 from hidden states and head, on 1,000 random batches of every algorithm.
 */
import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { tokenLogprobFused } from '../../src/ops/token-logprob/wgsl';
import { createRandom, type Random } from '../../src/base/random';
import { algorithms, type AlgorithmConfig, type AlgorithmName } from '../../src/objective/algorithm';
import { policyLoss } from '../../src/objective/loss';
import { openEngineForAll } from '../fixtures/engine';

const names = Object.keys(algorithms) as AlgorithmName[];
const width = 8;
const vocabulary = 19;
/** Random batches that share a head and run at once. */
const together = 100;

interface Token {
  hidden: Float32Array;
  token: number;
  /** Old policy and reference, as differences from the present one. */
  shift: number;
  divergence: number;
  advantage: number;
  isOn: boolean;
}

interface Batch {
  algorithm: AlgorithmConfig;
  sequences: Token[][];
}

openEngineForAll(openSharedEngine);

const between = (random: Random, low: number, high: number): number => low + (high - low) * random.uniform();
const oneOf = <T>(random: Random, values: readonly T[]): T => values[random.integer(values.length)];

function randomAlgorithm(random: Random): AlgorithmConfig {
  const base = algorithms[oneOf(random, names)];
  return {
    ...base,
    kl: {
      ...base.kl,
      place: oneOf(random, ['loss', 'reward', 'none']),
      coefficient: between(random, 0.001, 0.2),
      estimator: oneOf(random, ['k1', 'k2', 'k3']),
    },
    clipLow: between(random, 0.05, 0.3),
    clipHigh: between(random, 0.05, 0.3),
    dualClip: oneOf(random, [0, 3]),
    entropyCoefficient: oneOf(random, [0, 0.01]),
  };
}

function randomBatch(random: Random): Batch {
  const algorithm = randomAlgorithm(random);
  const sequences = Array.from({ length: 2 + random.integer(3) }, () =>
    Array.from({ length: 1 + random.integer(6) }, () => ({
      hidden: Float32Array.from({ length: width }, () => between(random, -2, 2)),
      token: random.integer(vocabulary),
      shift: between(random, -0.6, 0.6),
      divergence: between(random, -1, 1),
      advantage: between(random, -2, 2),
      isOn: random.uniform() < 0.85,
    })),
  );
  sequences[0][0].isOn = true;
  return { algorithm, sequences };
}

/** log p and entropy of one token, in float64. */
function statistics({ hidden, token }: Token, head: Float32Array, temperature: number): [number, number] {
  const logits = Array.from({ length: vocabulary }, (_, word) =>
    hidden.reduce((sum, value, i) => sum + (value * head[word * width + i]) / temperature, 0),
  );
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  const entropy = logits.reduce((sum, logit) => sum - Math.exp(logit - total) * (logit - total), 0);
  return [logits[token] - total, entropy];
}

/** The objective as the papers write it, over the tokens that take part; it shares nothing with `loss.ts`. */
function plainLoss({ algorithm, sequences }: Batch, head: Float32Array, temperature: number): number {
  const { kl, clipLow, clipHigh, dualClip, entropyCoefficient, aggregation, ratio } = algorithm;
  const surrogate = (r: number, A: number): number => {
    const pessimistic = Math.min(r * A, Math.min(Math.max(r, 1 - clipLow), 1 + clipHigh) * A);
    return -(dualClip > 0 && A < 0 ? Math.max(pessimistic, dualClip * A) : pessimistic);
  };
  const estimate = (d: number): number =>
    ({ k1: d, k2: (d * d) / 2, k3: Math.exp(-d) - 1 + d })[kl.estimator];
  const taking = sequences.map((sequence) => sequence.filter(({ isOn }) => isOn));
  const tokens = taking.flat().length;
  const longest = Math.max(...sequences.map((sequence) => sequence.length));
  const averaged = (terms: number[][]): number => {
    const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
    if (ratio === 'sequence' || aggregation === 'token-mean') return sum(terms.flat()) / tokens;
    if (aggregation === 'constant-length') return sum(terms.flat()) / (sequences.length * longest);
    return sum(terms.map((row) => sum(row) / Math.max(1, row.length))) / sequences.length;
  };
  const policyTerms =
    ratio === 'token'
      ? averaged(
          taking.map((row) => row.map(({ shift, advantage }) => surrogate(Math.exp(shift), advantage))),
        )
      : taking
          .filter((row) => row.length > 0)
          .map((row) => {
            const shift = row.reduce((total, token) => total + token.shift, 0);
            const A = row.reduce((total, token) => total + token.advantage, 0) / row.length;
            return surrogate(Math.exp(shift), A);
          })
          .reduce((total, value) => total + value, 0) / sequences.length;
  const klTerm = averaged(taking.map((row) => row.map(({ divergence }) => estimate(divergence))));
  const entropy = averaged(taking.map((row) => row.map((token) => statistics(token, head, temperature)[1])));
  return policyTerms + (kl.place === 'loss' ? kl.coefficient * klTerm : 0) - entropyCoefficient * entropy;
}

/** The loss of each batch from one pass over the rows of all of them. */
async function gpuLosses(batches: Batch[], head: Float32Array, temperature: number): Promise<number[]> {
  const all = batches.flatMap(({ sequences }) => sequences.flat());
  const rows = new Float32Array(all.length * width);
  all.forEach(({ hidden }, row) => rows.set(hidden, row * width));
  const result = tf.tidy(() =>
    tokenLogprobFused(
      tf.tensor2d(rows, [all.length, width]),
      {
        format: 'f32',
        outputs: vocabulary,
        inputs: width,
        trainable: true,
        data: tf.tensor2d(head, [vocabulary, width]),
      },
      tf.tensor1d(
        Int32Array.from(all, ({ token }) => token),
        'int32',
      ),
      temperature,
    ),
  );
  const values = await result.data();
  result.dispose();
  let row = 0;
  return batches.map(({ algorithm, sequences }) => {
    const first = sequences.map((sequence) => {
      row += sequence.length;
      return row - sequence.length;
    });
    const read = (offset: number): number[][] =>
      sequences.map((sequence, i) => sequence.map((_, t) => values[offset + first[i] + t]));
    const before = (of: 'shift' | 'divergence'): number[][] =>
      sequences.map((sequence) =>
        sequence.map((token) => statistics(token, head, temperature)[0] - token[of]),
      );
    return policyLoss(
      read(0),
      before('shift'),
      before('divergence'),
      sequences.map((sequence) => sequence.map(({ advantage }) => advantage)),
      algorithm,
      {
        masks: sequences.map((sequence) => Uint8Array.from(sequence, ({ isOn }) => Number(isOn))),
        entropies: read(all.length),
      },
    ).loss;
  });
}

it('is the plain reference’s on 1,000 random batches', async () => {
  const random = createRandom(11);
  const seen = new Set<AlgorithmName>();
  let largest = 0;
  for (let group = 0; group < 1000 / together; group++) {
    const head = Float32Array.from({ length: vocabulary * width }, () => between(random, -1, 1));
    const temperature = between(random, 0.6, 1.4);
    const batches = Array.from({ length: together }, () => randomBatch(random));
    const losses = await gpuLosses(batches, head, temperature);
    batches.forEach((batch, i) => {
      const expected = plainLoss(batch, head, temperature);
      largest = Math.max(largest, Math.abs(losses[i] - expected) / (1 + Math.abs(expected)));
      seen.add(batch.algorithm.name);
    });
  }
  expect(seen.size).toBe(names.length);
  expect(largest).toBeGreaterThan(0);
  expect(largest).toBeLessThan(2e-5);
});
