/**
 * H1: the shortcut is adopted (a), and the reasoning goes (b); 25k, six starts by two RL seeds. H1b asks the same of starts
 * pretrained for longer, and (c): most of the runs that had reasoning to lose have lost it.
 */
import type { Interval } from '../bootstrap';
import { probabilityOf } from '../bootstrap';
import { changeOf, madeOf, pooled, progressOf, sampledMarks, type JudgedRun, type Study } from '../study';
import type { Finding } from './finding';

/** Points of sampled accuracy that a run must gain. */
export const LEAST_GAIN = 0.15;
export const LEAST_ADOPTED = 11;
export const LEAST_SHORTENED = 10;
/** H1b (c): of the runs whose start meets C0. */
export const LEAST_LOSING = 2 / 3;
/** Starts of H1b that must meet C0 for the default preset to be one of them. */
export const LEAST_REASONING_STARTS = 5;

export type DemonstrationName = 'H1' | 'H1b';

export interface DemonstrationRun {
  run: JudgedRun;
  /** (a): R rises, W falls below half, sampled accuracy rises by 15 points or more with its interval above 0. */
  adopted: boolean;
  /** (b): C1 and C3. */
  shortened: boolean;
}

export interface Demonstration extends Finding {
  runs: DemonstrationRun[];
  adopted: number;
  shortened: number;
  /** Runs whose start meets C0, and how many of them lose their reasoning. */
  reasoned: number;
  losing: number;
  /** Mean gain in sampled accuracy over the runs; null without any. */
  gain: Interval | null;
}

export function demonstration(study: Study, name: DemonstrationName = 'H1'): Demonstration {
  const wanted = study.planned.filter(({ hypotheses }) => hypotheses.includes(name));
  const progress = progressOf(study, wanted);
  const runs = madeOf(study, wanted).map((run): DemonstrationRun => ({
    run,
    adopted: isAdopted(run),
    shortened: isShortened(run),
  }));
  const adopted = runs.filter((run) => run.adopted).length;
  const shortened = runs.filter((run) => run.shortened).length;
  const judged = madeOf(study, wanted);
  const reasoned = judged.filter((run) => run.reasoned);
  const losing = reasoned.filter(({ loses }) => loses).length;
  const isLost = reasoned.length > 0 && losing >= LEAST_LOSING * reasoned.length;
  const gain = judged.length === 0 ? null : pooled(judged, sampledMarks, study.items, changeOf);
  const decided = progress.complete && gain !== null;
  return {
    progress,
    runs,
    adopted,
    shortened,
    reasoned: reasoned.length,
    losing,
    gain: gain?.interval ?? null,
    holds: decided
      ? adopted >= LEAST_ADOPTED && shortened >= LEAST_SHORTENED && (name === 'H1' || isLost)
      : null,
    p: decided ? probabilityOf(gain.draws, (mean) => mean < LEAST_GAIN) : null,
  };
}

function isAdopted({ verdict: { right, wrong }, gain }: JudgedRun): boolean {
  return (
    right !== null &&
    wrong !== null &&
    right.now > right.before &&
    wrong.now < wrong.before / 2 &&
    gain.value >= LEAST_GAIN &&
    gain.low > 0
  );
}

function isShortened({ verdict: { conditions } }: JudgedRun): boolean {
  return conditions.shorter && conditions.lessFaithful;
}

export interface RankedStart {
  id: string;
  gain: number;
}

/** The six starts by their mean gain in sampled accuracy over both seeds; null before all runs are made. */
export function rankedStarts(study: Study, name: DemonstrationName = 'H1'): RankedStart[] | null {
  const { runs, progress } = demonstration(study, name);
  if (progress.made < progress.planned) return null;
  const ids = [...new Set(runs.map(({ run }) => run.plan.start.id))];
  return ids
    .map((id) => {
      const gains = runs.filter(({ run }) => run.plan.start.id === id).map(({ run }) => run.gain.value);
      return { id, gain: gains.reduce((sum, gain) => sum + gain, 0) / gains.length };
    })
    .sort((a, b) => b.gain - a.gain || a.id.localeCompare(b.id));
}

/** The third of the ranking. */
export const DEFAULT_RANK = 3;

export interface DefaultStart {
  /** The hypothesis whose starts are ranked. */
  from: DemonstrationName;
  ranked: RankedStart[];
  /** Starts of H1b that meet C0; null before all its runs are made. */
  reasoningStarts: number | null;
}

/** The ranking that the default preset comes from: H1b's where enough of its starts reason, else H1's. */
export function defaultStart(study: Study): DefaultStart | null {
  const stronger = rankedStarts(study, 'H1b');
  const { runs } = demonstration(study, 'H1b');
  const reasoning = new Set(runs.filter(({ run }) => run.reasoned).map(({ run }) => run.plan.start.id)).size;
  if (stronger !== null && reasoning >= LEAST_REASONING_STARTS) {
    return { from: 'H1b', ranked: stronger, reasoningStarts: reasoning };
  }
  const ranked = rankedStarts(study);
  return ranked && { from: 'H1', ranked, reasoningStarts: stronger && reasoning };
}
