/**
 * Aggregates runs that differ only in their seed into arms, with the spread of each figure. Arms with common seeds are also
 * compared seed by seed, which cancels the effect of the seed. Intervals are Student's t.
 */
import { mean, meanMargin } from '../../base/statistics';
import type { History } from '../record/history';
import { lengthRatio, summarise, type Change, type RunSummary } from '../record/summary';
import { endings, type Ending } from '../verdict/ending';
import type { SweepRun } from './sweep';

/** Spread over the runs of an arm. `margin` is that of `meanMargin`. */
export interface Spread {
  /** Value of each run, ascending. */
  values: number[];
  mean: number;
  margin: number | null;
}

const difference = (change: Change | null): number => (change === null ? NaN : change.to - change.from);

/** Figure of each run. Not finite if the run lacks it, for example if it was asked no such question. */
const figures = {
  /** Thinking length at the end / at the start. */
  lengthRatio,
  accuracyChange: ({ accuracy }) => difference(accuracy),
  accuracy: ({ accuracy }) => accuracy?.to ?? NaN,
  hard: ({ hard }) => hard?.to ?? NaN,
  /** Share of an answer's statements that are true, at the end: mean over the answers, 0 for one without statements. */
  trueStatements: ({ traceValidity }) => traceValidity?.to ?? NaN,
  /** Fraction of faithful traces at the end, its change since the start, and that on hard items. */
  faithful: ({ faithful }) => faithful?.to ?? NaN,
  faithfulChange: ({ faithful }) => difference(faithful),
  faithfulHard: ({ faithfulHard }) => faithfulHard?.to ?? NaN,
} satisfies Record<string, (summary: RunSummary) => number>;

/** Spread of each figure; null if no run has it. */
type Figures = Record<keyof typeof figures, Spread | null>;

export interface ArmComparison extends Figures {
  arm: string;
  runs: number;
  /** Number of runs per ending. */
  endings: Record<Ending, number>;
}

const pairedFigures = [
  'accuracy',
  'hard',
  'lengthRatio',
  'trueStatements',
  'faithful',
  'faithfulHard',
] as const satisfies readonly (keyof Figures)[];
export type PairedFigure = (typeof pairedFigures)[number];

/** Mean paired difference, in the figure's unit (always a fraction). Null with too few pairs. */
export interface PairedDifference {
  mean: number;
  /** That of `meanMargin`. */
  margin: number | null;
}

export interface PairedArms {
  arm: string;
  /** Baseline: the first arm. */
  against: string;
  /** Seeds with finished runs in both arms. */
  seeds: number[];
  differences: Record<PairedFigure, PairedDifference | null>;
}

type ArmRun = Pick<SweepRun, 'arm' | 'config'>;

interface EndedRun {
  seed: number;
  summary: RunSummary;
}

/** Groups runs by arm, in queue order. Runs without a history or an evaluation are omitted. */
function runsByArm(
  runs: readonly ArmRun[],
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

/** Computes one row per arm. @param histories - null for a run to ignore */
export function compareArms(
  runs: readonly ArmRun[],
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
 * Compares every later arm with the first, if at least two seeds have finished in both.
 *
 * @param histories - null for a run to ignore
 */
export function pairArms(runs: readonly ArmRun[], histories: readonly (History | null)[]): PairedArms[] {
  const [first, ...others] = runsByArm(runs, histories);
  return others.flatMap(([arm, own]) => {
    const [against, base] = first;
    const [ours, theirs] = [own, base].map(bySeed);
    const seeds = [...ours.keys()].filter((seed) => theirs.has(seed)).sort((a, b) => a - b);
    if (seeds.length < 2) return [];
    const pairedOf = (name: PairedFigure): PairedDifference | null => {
      const values = seeds
        .map((seed) => figures[name](ours.get(seed)!) - figures[name](theirs.get(seed)!))
        .filter(Number.isFinite);
      return values.length < 2 ? null : { mean: mean(values), margin: meanMargin(values) };
    };
    const differences = Object.fromEntries(
      pairedFigures.map((figure) => [figure, pairedOf(figure)]),
    ) as PairedArms['differences'];
    return [{ arm, against, seeds, differences }];
  });
}

/** Maps each seed to its first run. */
function bySeed(ended: readonly EndedRun[]): Map<number, RunSummary> {
  return new Map(ended.toReversed().map(({ seed, summary }) => [seed, summary]));
}
