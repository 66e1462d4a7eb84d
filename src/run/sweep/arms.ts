/**
 * Runs that differ by their seed alone, taken together as an arm: how each figure spreads over its runs; and arms that share
 * seeds held against each other seed by seed, where what a seed gives to both falls out of the difference. Intervals are
 * Student's.
 */
import { mean, meanMargin } from '../../base/statistics';
import type { History } from '../record/history';
import { lengthRatio, summarise, type RunSummary } from '../record/summary';
import { endings, type Ending } from '../verdict/ending';
import type { SweepRun } from './sweep';

/** Over the runs of an arm: `margin` is half the 95 % interval of the mean, null for a single run. */
export interface Spread {
  /** Of each run, ascending. */
  values: number[];
  mean: number;
  margin: number | null;
}

export interface ArmComparison {
  arm: string;
  runs: number;
  /** How many runs ended so. */
  endings: Record<Ending, number>;
  /** Of the thinking; null where no run began with any. */
  lengthRatio: Spread | null;
  accuracyChange: Spread;
  accuracy: Spread;
  shortcutWrong: Spread;
  /** Of the statements in the traces at the end; null where no run made any. */
  trueStatements: Spread | null;
  /** Faithful traces at the end, and their change since the start; null where no run has a verdict on them. */
  faithful: Spread | null;
  faithfulChange: Spread | null;
  /** Those where the shortcut is wrong. */
  faithfulWrong: Spread | null;
}

type Figures = Omit<ArmComparison, 'arm' | 'runs' | 'endings'>;

/** Not finite where a run has no such figure. */
const figures: Record<keyof Figures, (summary: RunSummary) => number> = {
  lengthRatio,
  accuracyChange: ({ accuracy: { from, to } }) => to - from,
  accuracy: ({ accuracy }) => accuracy.to,
  shortcutWrong: ({ shortcutWrong }) => shortcutWrong.to,
  trueStatements: ({ traceValidity }) => traceValidity.to,
  faithful: ({ faithful }) => faithful?.to ?? Number.NaN,
  faithfulChange: ({ faithful }) => (faithful === null ? Number.NaN : faithful.to - faithful.from),
  faithfulWrong: ({ faithfulWrong }) => faithfulWrong?.to ?? Number.NaN,
};

const pairedFigures = [
  'accuracy',
  'shortcutWrong',
  'lengthRatio',
  'trueStatements',
  'faithful',
  'faithfulWrong',
] as const satisfies readonly (keyof Figures)[];
export type PairedFigure = (typeof pairedFigures)[number];

/** In the unit of the figure, fractions all; null where too few pairs have it. */
export interface PairedDifference {
  mean: number;
  /** Half of the 95 % interval. */
  margin: number;
  pairs: number;
}

export interface PairedArms {
  arm: string;
  /** The first arm, from which the difference is taken. */
  against: string;
  /** Seeds that have ended in both. */
  seeds: number[];
  differences: Record<PairedFigure, PairedDifference | null>;
}

interface EndedRun {
  seed: number;
  summary: RunSummary;
}

/** In the order of the queue. Runs that never got to an evaluation are left out, as are those without a history. */
function runsByArm(
  runs: readonly SweepRun[],
  histories: readonly (History | null)[],
): [arm: string, runs: EndedRun[]][] {
  const arms = new Map<string, EndedRun[]>();
  runs.forEach(({ arm, config: { seed } }, index) => {
    const history = histories[index];
    const summary = history && summarise(history);
    if (summary !== null) arms.set(arm, [...(arms.get(arm) ?? []), { seed, summary }]);
  });
  return [...arms];
}

/** One row per arm. @param histories - null for a run that does not count */
export function compareArms(
  runs: readonly SweepRun[],
  histories: readonly (History | null)[],
): ArmComparison[] {
  return runsByArm(runs, histories).map(([arm, ended]) => {
    const spreads = Object.entries(figures).map(([name, figure]) => [
      name,
      spreadOf(ended.map(({ summary }) => figure(summary)).filter(Number.isFinite)),
    ]);
    const ofEnding = (ending: Ending): number =>
      ended.filter(({ summary }) => summary.verdict?.ending === ending).length;
    return {
      arm,
      runs: ended.length,
      endings: Object.fromEntries(endings.map((ending) => [ending, ofEnding(ending)])) as Record<
        Ending,
        number
      >,
      ...(Object.fromEntries(spreads) as Figures),
    };
  });
}

function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  return { values: values.toSorted((a, b) => a - b), mean: mean(values), margin: meanMargin(values) };
}

/**
 * Every arm but the first against the first, where at least two seeds have ended in both.
 *
 * @param histories - null for a run that does not count
 */
export function pairArms(runs: readonly SweepRun[], histories: readonly (History | null)[]): PairedArms[] {
  const [first, ...others] = runsByArm(runs, histories);
  return others.flatMap(([arm, own]) => {
    const [against, base] = first;
    const [ours, theirs] = [own, base].map(bySeed);
    const seeds = [...ours.keys()].filter((seed) => theirs.has(seed)).sort((a, b) => a - b);
    if (seeds.length < 2) return [];
    const difference = (name: PairedFigure): PairedDifference | null => {
      const values = seeds
        .map((seed) => figures[name](ours.get(seed)!) - figures[name](theirs.get(seed)!))
        .filter(Number.isFinite);
      const margin = meanMargin(values);
      return margin === null ? null : { mean: mean(values), margin, pairs: values.length };
    };
    const differences = Object.fromEntries(
      pairedFigures.map((figure) => [figure, difference(figure)]),
    ) as PairedArms['differences'];
    return [{ arm, against, seeds, differences }];
  });
}

/** The first run of each seed. */
function bySeed(ended: readonly EndedRun[]): Map<number, RunSummary> {
  return new Map(ended.toReversed().map(({ seed, summary }) => [seed, summary]));
}
