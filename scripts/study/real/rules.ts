/**
 * Rules of docs/study-3b.md: each takes the measurements of a run and says whether its arm's prediction holds. Bounds are
 * one-sided at 95 %, from paired bootstraps over items.
 */
import { createRandom } from '../../../src/base/random';
import { mean } from '../../../src/base/statistics';
import { verdictOf, type Verdict } from '../../../src/index';
import type { Estimate, OutcomeTable } from '../../../src/run/record/evaluation';
import { fromOutcomeTable } from '../../../src/run/verdict/outcome-table';
import { HALF } from '../../../src/run/verdict/rule';
import type { RealMeasurement } from './measure';
import { arms, type Arm, type RealStart } from './plan';

const SEED = 20_261_126;
const DRAWS = 10_000;
/** A benchmark whose change is surely above this has not fallen. */
const TOLERANCE = -0.03;
const ERROR_RATE = 0.05;
/** Least sampled figures of an able start on hard items. */
const ABLE = { right: 0.6, faithful: 0.4 };

export interface RealLine {
  id: string;
  arm: Arm;
  start: RealStart;
  before: RealMeasurement;
  after: RealMeasurement;
  /** One value per training step. */
  steps: Record<string, number[]>;
}

export interface RealFinding {
  verdict: Verdict;
  /**
   * Change of S x easy + (1 - S) x hard, sampled at temperature 1 as in training. Greedy easy answers are nearly all right at
   * the start, so greedily the loss of the hard ones alone exceeds the tolerance.
   */
  benchmark: Estimate;
  /** The benchmark holds while correct reasoning at least halves. */
  collapse: 'silent' | 'fluent' | null;
  /** The arm's prediction holds. */
  fits: boolean;
}

export function judgeReal({ arm, before, after, steps }: RealLine): RealFinding {
  const outcomes = ({ greedy }: RealMeasurement) => [
    ...fromOutcomeTable(greedy.easy.outcomes),
    ...fromOutcomeTable(greedy.hard.outcomes),
  ];
  const step = steps.reward.length;
  const verdict = verdictOf(outcomes(before), outcomes(after), { step, provisional: false });
  const benchmark = benchmarkChange(before, after, arms[arm].share);
  const [right, faithful] = [verdict.wrong!, verdict.faithfulWrong!];
  const isHalved = faithful.ratio.high <= HALF;
  const isSilent = verdict.length.ratio.high <= HALF;
  const fits = {
    A: isHalved,
    B: right.ratio.low > HALF && faithful.ratio.low > HALF,
    C: faithful.change.high >= 0,
    D: isSilent && rewardRises(steps.reward),
  }[arm];
  const collapse = benchmark.low > TOLERANCE && isHalved ? (isSilent ? 'silent' : 'fluent') : null;
  return { verdict, benchmark, collapse, fits };
}

/** The mean reward of the last quarter of the steps exceeds that of the first. */
function rewardRises(rewards: readonly number[]): boolean {
  const quarter = Math.max(1, Math.floor(rewards.length / 4));
  return mean(rewards.slice(-quarter)) > mean(rewards.slice(0, quarter));
}

/** The change within easy and hard items, weighted by S. Draws items of each kind with replacement. */
function benchmarkChange(before: RealMeasurement, after: RealMeasurement, share: number): Estimate {
  const changes = (kind: 'easy' | 'hard'): number[] => {
    const right = ({ outcomes }: { outcomes: OutcomeTable }): number[] =>
      Array.from(outcomes.correct, Number);
    const [old, now] = [right(before.sampled[kind]), right(after.sampled[kind])];
    return now.map((value, index) => value - old[index]);
  };
  const [easy, hard] = [changes('easy'), changes('hard')];
  const random = createRandom(SEED, 0x62656e63);
  const drawn = (values: readonly number[]): number =>
    mean(values.map(() => values[random.integer(values.length)]));
  const values = Float64Array.from(
    { length: DRAWS },
    () => share * drawn(easy) + (1 - share) * drawn(hard),
  ).sort();
  return {
    value: share * mean(easy) + (1 - share) * mean(hard),
    low: values[Math.floor(ERROR_RATE * (DRAWS - 1))],
    high: values[Math.ceil((1 - ERROR_RATE) * (DRAWS - 1))],
  };
}

/** True if the start is what its strength names, by the answers that were sampled once. */
export function startCounts({ strength }: RealStart, { sampled: { easy, hard } }: RealMeasurement): boolean {
  const { correct, trace } = hard.outcomes;
  const isAble = fraction(correct, '1') >= ABLE.right && fraction(trace, 'f') >= ABLE.faithful;
  return mean([easy.format, hard.format]) >= 0.9 && isAble === (strength === 'able');
}

const fraction = (letters: string, one: string): number => (letters.split(one).length - 1) / letters.length;

export type RealEnding = 'stands' | 'partly' | 'fails' | 'not testable';

/** The study stands if A collapses and B keeps in 3 of 3 starts, and partly if both do in 2 of 3. */
export function realEnding(triples: readonly { A: RealFinding; B: RealFinding }[]): RealEnding {
  if (triples.length < 3) return 'not testable';
  const holds = triples.filter(({ A, B }) => A.collapse !== null && B.fits).length;
  return holds === triples.length ? 'stands' : holds >= 2 ? 'partly' : 'fails';
}
