/**
 * Arms that share seeds, held against each other seed by seed: what a seed gives to both falls out of the difference. The
 * interval of the mean difference is Student's over the pairs.
 */
import type { History } from '../record/history';
import { mean, meanMargin } from '../../base/statistics';
import { lengthRatio, summarise, type RunSummary } from '../record/summary';
import type { SweepRun } from './sweep';

/** In the unit of the figure, fractions all; null where too few pairs have it. */
export interface PairedDifference {
  mean: number;
  /** Half of the 95 % interval. */
  margin: number;
  pairs: number;
}

const pairedFigures = [
  'accuracy',
  'shortcutWrong',
  'lengthRatio',
  'trueStatements',
  'faithful',
  'faithfulWrong',
] as const;
export type PairedFigure = (typeof pairedFigures)[number];

export interface PairedArms {
  arm: string;
  /** The first arm, from which the difference is taken. */
  against: string;
  /** Seeds that have ended in both. */
  seeds: number[];
  differences: Record<PairedFigure, PairedDifference | null>;
}

/** Not finite where a run has no such figure. */
const figures: Record<PairedFigure, (summary: RunSummary) => number> = {
  accuracy: ({ accuracy }) => accuracy.to,
  shortcutWrong: ({ shortcutWrong }) => shortcutWrong.to,
  lengthRatio,
  trueStatements: ({ traceValidity }) => traceValidity.to,
  faithful: ({ faithful }) => faithful?.to ?? Number.NaN,
  faithfulWrong: ({ faithfulWrong }) => faithfulWrong?.to ?? Number.NaN,
};

/**
 * Every arm but the first against the first, where at least two seeds have ended in both.
 *
 * @param histories - null for a run that does not count
 */
export function pairArms(runs: readonly SweepRun[], histories: readonly (History | null)[]): PairedArms[] {
  const arms = new Map<string, Map<number, RunSummary>>();
  runs.forEach(({ arm, config: { seed } }, index) => {
    const history = histories[index];
    const summary = history && summarise(history);
    if (summary === null) return;
    const seeds = arms.get(arm) ?? new Map<number, RunSummary>();
    if (!seeds.has(seed)) seeds.set(seed, summary);
    arms.set(arm, seeds);
  });
  const [first, ...others] = [...arms];
  return others.flatMap(([arm, own]) => {
    const [against, base] = first;
    const seeds = [...own.keys()].filter((seed) => base.has(seed)).sort((a, b) => a - b);
    if (seeds.length < 2) return [];
    const difference = (figure: PairedFigure): PairedDifference | null => {
      const of = figures[figure];
      const values = seeds
        .map((seed) => of(own.get(seed)!) - of(base.get(seed)!))
        .filter((value) => Number.isFinite(value));
      const margin = meanMargin(values);
      return margin === null ? null : { mean: mean(values), margin, pairs: values.length };
    };
    const differences = Object.fromEntries(
      pairedFigures.map((figure) => [figure, difference(figure)]),
    ) as PairedArms['differences'];
    return [{ arm, against, seeds, differences }];
  });
}
