/** Rules of docs/study-2.md and docs/study-3a.md in plain numbers: each takes figures of runs and returns a finding. */
import { createRandom, type Random } from '../../src/base/random';
import { mean } from '../../src/base/statistics';

const SEED = 20_261_123;

export type Estimate = [value: number, low: number, high: number];

/** One-sided 95 % lower bound of a fraction (Wilson). */
export function lowerBound(hits: number, count: number): number {
  const z = 1.6449;
  const fraction = hits / count;
  const centre = fraction + z ** 2 / (2 * count);
  const spread = z * Math.sqrt((fraction * (1 - fraction)) / count + z ** 2 / (4 * count ** 2));
  return (centre - spread) / (1 + z ** 2 / count);
}

interface KeptStart {
  /** min(1, W after / W before); null for a start without reasoning to lose. */
  kept: number | null;
}

interface SizeFinding {
  ending: 'stands' | 'fails' | 'not testable';
  small: number;
  large: number;
  /** Starts counted at each size. */
  counted: readonly [small: number, large: number];
  /** Exact, one-sided. */
  p: number;
  /** The difference with starts that do not count as 1 at the small and 0 at the large size. */
  sensitivity: number;
}

const LEAST_COUNTED = 7;

/** H8: K of the large size against that of the small one. */
export function sizeRule(small: readonly KeptStart[], large: readonly KeptStart[]): SizeFinding {
  const counted = (starts: readonly KeptStart[]): number[] => starts.flatMap(({ kept }) => kept ?? []);
  const filled = (starts: readonly KeptStart[], value: number): number[] =>
    starts.map(({ kept }) => kept ?? value);
  const [few, many] = [counted(small), counted(large)];
  const difference = mean(many) - mean(few);
  const p = permutationP(many, few);
  const isTestable = Math.min(few.length, many.length) >= LEAST_COUNTED;
  const holds = difference >= 0.3 && mean(many) >= 0.5 && p <= 0.025;
  return {
    ending: !isTestable ? 'not testable' : holds ? 'stands' : 'fails',
    small: mean(few),
    large: mean(many),
    counted: [few.length, many.length],
    p,
    sensitivity: mean(filled(large, 0)) - mean(filled(small, 1)),
  };
}

/** Fraction of all ways to label the pooled values in which the first group's mean exceeds the second's by as much. */
export function permutationP(first: readonly number[], second: readonly number[]): number {
  const pooled = [...first, ...second];
  const observed = first.reduce((sum, value) => sum + value, 0) - 1e-9;
  let ways = 0;
  let asLarge = 0;
  const choose = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      ways += 1;
      if (sum >= observed) asLarge += 1;
      return;
    }
    for (let index = from; index <= pooled.length - left; index++)
      choose(index + 1, left - 1, sum + pooled[index]);
  };
  choose(0, first.length, 0);
  return asLarge / ways;
}

interface ScoredRun {
  score: number;
  hit: boolean;
  /** Scores are permuted among the runs of one group; all are of one where left out. */
  group?: string;
}

/** H8b: area under the ROC curve of low scores as a predictor of hits, with p from permutations of the scores over starts. */
export function foretelling(runs: readonly ScoredRun[], draws = 10_000): { auc: number; p: number } {
  const auc = areaOf(runs);
  const random = createRandom(SEED, 0x61756300);
  const names = new Set(runs.map(({ group }) => group));
  const groups = [...names].map((name) => runs.filter(({ group }) => group === name));
  let asLarge = 0;
  for (let draw = 0; draw < draws; draw++) {
    const permuted = groups.flatMap((of) => {
      const scores = random.shuffle(of.map(({ score }) => score));
      return of.map((run, index) => ({ ...run, score: scores[index] }));
    });
    if (areaOf(permuted) >= auc) asLarge += 1;
  }
  return { auc, p: (asLarge + 1) / (draws + 1) };
}

/** Probability that a hit has the lower score of a hit and a miss; ties count half. NaN without both. */
function areaOf(runs: readonly ScoredRun[]): number {
  const hits = runs.filter(({ hit }) => hit);
  const misses = runs.filter(({ hit }) => !hit);
  let lower = 0;
  for (const { score } of hits) {
    for (const other of misses) lower += score < other.score ? 1 : score === other.score ? 0.5 : 0;
  }
  return lower / (hits.length * misses.length);
}

/** Spearman's correlation of ranks; equal values share the mean of their ranks. */
export function rankCorrelation(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [first, second].map(centredRanks);
  const product = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, index) => sum + value * y[index], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

interface PaidRun {
  /** Seed of the start. */
  seed: number;
  /** Reward of full thinking minus what the shortcut earns, before training. */
  gain: number;
  /** W after / W before. */
  kept: number;
}

interface PayFinding {
  ending: 'stands' | 'partly' | 'fails';
  /** Rank correlation of gain and kept over all runs. */
  overall: Estimate;
  /** Mean over starts of the rank correlation within a start. */
  within: Estimate;
}

/** Study 3a: thinking is kept where it earns more than the shortcut. Intervals (95 %) draw starts with replacement. */
export function payRule(runs: readonly PaidRun[], draws = 10_000): PayFinding {
  const starts = [...new Set(runs.map(({ seed }) => seed))].map((seed) =>
    runs.filter((run) => run.seed === seed),
  );
  const correlation = (of: readonly PaidRun[]): number => {
    const value = rankCorrelation(
      of.map(({ gain }) => gain),
      of.map(({ kept }) => kept),
    );
    return Number.isNaN(value) ? 0 : value; // equal values have no order
  };
  const each = starts.map(correlation);
  const random = createRandom(SEED, 0x70617973);
  const drawn = Array.from({ length: draws }, () => starts.map(() => random.integer(starts.length)));
  const estimate = (value: number, of: (indices: readonly number[]) => number): Estimate => {
    return [value, ...percentiles(Float64Array.from(drawn, of), 0.025)];
  };
  const overall = estimate(correlation(runs), (indices) => correlation(indices.flatMap((i) => starts[i])));
  const within = estimate(mean(each), (indices) => mean(indices.map((i) => each[i])));
  const [isOverall, isWithin] = [overall[1] > 0, within[1] > 0];
  const stands = overall[0] >= 0.5 && isOverall && isWithin;
  return { ending: stands ? 'stands' : isOverall || isWithin ? 'partly' : 'fails', overall, within };
}

/** Ranks less their mean. */
function centredRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const lower = values.filter((other) => other < value).length;
    const higher = values.filter((other) => other > value).length;
    return (lower - higher) / 2;
  });
}

/** 95 % percentile interval of the mean change of items, one character each, by drawing items. */
export function pairedGain(before: string, after: string): Estimate {
  const changes = Array.from(before, (character, index) => Number(after[index]) - Number(character));
  return meanInterval(changes, 2000, 0x6761696e);
}

/** 95 % percentile interval of a mean, by drawing among its values. */
export function meanInterval(values: readonly number[], draws = 10_000, stream = 0x6d65616e): Estimate {
  const random = createRandom(SEED, stream);
  const means = Float64Array.from({ length: draws }, () => resampledMean(values, random));
  return [mean(values), ...percentiles(means, 0.025)];
}

export const resampledMean = (values: readonly number[], random: Random): number =>
  mean(values.map(() => values[random.integer(values.length)]));

/** Bounds that leave out a fraction `tail` of the draws at each end. */
export function percentiles(draws: Float64Array, tail: number): [low: number, high: number] {
  const sorted = draws.sort();
  const last = sorted.length - 1;
  return [sorted[Math.floor(tail * last)], sorted[Math.ceil((1 - tail) * last)]];
}
