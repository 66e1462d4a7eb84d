import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  algorithms,
  type AlgorithmConfig,
  type AlgorithmName,
  type AlgorithmSettings,
} from '../../src/objective/algorithm';
import { policyLoss } from '../../src/objective/loss';
import { expectWithin } from '../rl/close';

const value = fc.integer({ min: -150, max: 150 }).map((hundredths) => hundredths / 100);

interface Batch {
  fresh: number[][];
  old: number[][];
  reference: number[][];
  advantages: number[][];
  entropies: number[][];
  masks: number[][];
}

const batches: fc.Arbitrary<Batch> = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
  .chain((lengths) => {
    const rows = (element: fc.Arbitrary<number>): fc.Arbitrary<number[][]> =>
      fc.tuple(...lengths.map((length) => fc.array(element, { minLength: length, maxLength: length })));
    return fc.record({
      fresh: rows(value),
      old: rows(value),
      reference: rows(value),
      advantages: rows(value),
      entropies: rows(value),
      masks: rows(fc.constantFrom(0, 1, 1)),
    });
  });

const settings: AlgorithmSettings[] = [
  { name: 'reinforce++' },
  { name: 'reinforce++', convention: 'verl', entropyCoefficient: 0.1 },
  { name: 'grpo', kl: { place: 'loss', coefficient: 0.2, estimator: 'k3' } },
  { name: 'grpo', kl: { place: 'loss', coefficient: 0.2, estimator: 'k2' }, dualClip: 1.5 },
  { name: 'grpo', kl: { place: 'loss', coefficient: 0.2, estimator: 'k1' } },
  { name: 'dr-grpo', maxLength: 9 },
  { name: 'dapo', aggregation: 'sequence-sum' },
  { name: 'rloo', entropyCoefficient: 0.3 },
];

function lossOf(
  { fresh, old, reference, advantages, masks, entropies }: Batch,
  algorithm: AlgorithmSettings,
): ReturnType<typeof policyLoss> {
  return policyLoss(fresh, old, reference, advantages, algorithm, { masks, entropies });
}

describe.each(settings)('the loss of $name ($aggregation $kl.estimator $ratio)', (algorithm) => {
  it('has a gradient that agrees with finite differences', () => {
    const step = 1e-6;
    fc.assert(
      fc.property(batches, (batch) => {
        const { gradient, entropyGradient } = lossOf(batch, algorithm);
        for (const [key, analytic] of [
          ['fresh', gradient],
          ['entropies', entropyGradient],
        ] as const) {
          batch[key].forEach((row, i) =>
            row.forEach((_, token) => {
              const lossAt = (by: number): number => {
                const shifted = batch[key].map((other) => [...other]);
                shifted[i][token] += by;
                return lossOf({ ...batch, [key]: shifted }, algorithm).loss;
              };
              const numeric = (lossAt(step) - lossAt(-step)) / (2 * step);
              const forward = (lossAt(step) - lossAt(0)) / step;
              const backward = (lossAt(0) - lossAt(-step)) / step;
              if (Math.abs(forward - backward) > 1e-3) return; // the interval contains a kink of the clip
              expectWithin(1e-4, analytic[i][token], numeric);
            }),
          );
        }
      }),
      { numRuns: 40 },
    );
  });
});

const names = Object.keys(algorithms) as AlgorithmName[];
const configs: fc.Arbitrary<AlgorithmConfig> = fc
  .record({
    name: fc.constantFrom(...names),
    place: fc.constantFrom('loss', 'reward', 'none'),
    estimator: fc.constantFrom('k1', 'k2', 'k3'),
    clipLow: fc.double({ min: 0.05, max: 0.3, noNaN: true }),
    clipHigh: fc.double({ min: 0.05, max: 0.3, noNaN: true }),
    dualClip: fc.constantFrom(0, 3),
    entropyCoefficient: fc.constantFrom(0, 0.1),
  })
  .map(({ name, place, estimator, ...given }) => {
    const kl = { ...algorithms[name].kl, place, estimator, coefficient: 0.2 };
    return { ...algorithms[name], ...given, kl };
  });

/** The objective over the unmasked tokens as the papers write it. It shares no code with `loss.ts`. */
function referenceLoss(algorithm: AlgorithmConfig, batch: Batch): number {
  const { kl, clipLow, clipHigh, dualClip, entropyCoefficient, aggregation, ratio } = algorithm;
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const surrogate = (r: number, A: number): number => {
    const pessimistic = Math.min(r * A, Math.min(Math.max(r, 1 - clipLow), 1 + clipHigh) * A);
    return -(dualClip > 0 && A < 0 ? Math.max(pessimistic, dualClip * A) : pessimistic);
  };
  const estimate = (d: number): number =>
    ({ k1: d, k2: (d * d) / 2, k3: Math.exp(-d) - 1 + d })[kl.estimator];
  const unmasked = batch.fresh.map((row, i) =>
    row
      .map((logprob, t) => ({
        shift: logprob - batch.old[i][t],
        divergence: logprob - batch.reference[i][t],
        advantage: batch.advantages[i][t],
        entropy: batch.entropies[i][t],
      }))
      .filter((_, t) => batch.masks[i][t] === 1),
  );
  const tokens = unmasked.flat().length;
  const longest = Math.max(...batch.fresh.map((row) => row.length));
  const averaged = (terms: number[][]): number => {
    if (ratio === 'sequence' || aggregation === 'token-mean') return sum(terms.flat()) / tokens;
    if (aggregation === 'constant-length') return sum(terms.flat()) / (unmasked.length * longest);
    return sum(terms.map((row) => sum(row) / Math.max(1, row.length))) / unmasked.length;
  };
  const bySequence = unmasked
    .filter((row) => row.length > 0)
    .map((row) => {
      const A = sum(row.map(({ advantage }) => advantage)) / row.length;
      return surrogate(Math.exp(sum(row.map(({ shift }) => shift))), A);
    });
  const byToken = unmasked.map((row) =>
    row.map(({ shift, advantage }) => surrogate(Math.exp(shift), advantage)),
  );
  return (
    (ratio === 'sequence' ? sum(bySequence) / unmasked.length : averaged(byToken)) +
    (kl.place === 'loss' ? kl.coefficient : 0) *
      averaged(unmasked.map((row) => row.map(({ divergence }) => estimate(divergence)))) -
    entropyCoefficient * averaged(unmasked.map((row) => row.map(({ entropy }) => entropy)))
  );
}

describe('the loss', () => {
  it('equals the objective of the papers for every algorithm', () => {
    fc.assert(
      fc.property(configs, batches, (algorithm, drawn) => {
        fc.pre(drawn.masks.flat().includes(1));
        // Keeps divergences below the clamp, which the papers do not have.
        const reference = drawn.fresh.map((row, i) =>
          row.map((logprob, t) => logprob - drawn.reference[i][t]),
        );
        const batch = { ...drawn, reference };
        const expected = referenceLoss(algorithm, batch);
        expectWithin(1e-9 * (1 + Math.abs(expected)), lossOf(batch, algorithm).loss, expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('has a dual clip of 3 in verl’s convention, also in a run configuration, unless the settings give another', () => {
    const loss = (changes: Partial<AlgorithmSettings>): number =>
      policyLoss([[0]], [[-5]], null, [[-1]], { ...algorithms.grpo, kl: { place: 'none' }, ...changes }).loss;
    expect(policyLoss([[0]], [[-5]], null, [[-1]], { name: 'grpo', convention: 'verl' }).loss).toBe(3);
    expect(loss({ convention: 'verl' })).toBe(3);
    expect(loss({ convention: 'verl', dualClip: 7 })).toBe(7);
    expect(loss({})).toBeCloseTo(Math.exp(5), 6);
  });

  it('bounds the logarithm of the ratio at 20, without a gradient beyond', () => {
    const { loss, gradient } = policyLoss([[25]], [[0]], null, [[-1]], { name: 'grpo' });
    expect([loss, gradient[0][0]]).toEqual([Math.exp(20), 0]);
  });
});
