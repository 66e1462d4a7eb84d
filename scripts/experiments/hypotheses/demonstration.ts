/** H1: the shortcut is adopted (a), and the reasoning goes (b); 25k, six starts by two RL seeds. */
import type { Interval } from '../bootstrap';
import { probabilityOf } from '../bootstrap';
import { changeOf, madeOf, pooled, progressOf, sampledMarks, type JudgedRun, type Study } from '../study';
import type { Finding } from './finding';

/** Points of sampled accuracy that a run must gain. */
export const LEAST_GAIN = 0.15;
export const LEAST_ADOPTED = 11;
export const LEAST_SHORTENED = 10;

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
  /** Mean gain in sampled accuracy over the runs; null without any. */
  gain: Interval | null;
}

export function demonstration(study: Study): Demonstration {
  const wanted = study.planned.filter(({ hypotheses }) => hypotheses.includes('H1'));
  const progress = progressOf(study, wanted);
  const runs = madeOf(study, wanted).map((run): DemonstrationRun => ({
    run,
    adopted: isAdopted(run),
    shortened: isShortened(run),
  }));
  const adopted = runs.filter((run) => run.adopted).length;
  const shortened = runs.filter((run) => run.shortened).length;
  const judged = madeOf(study, wanted);
  const gain = judged.length === 0 ? null : pooled(judged, sampledMarks, study.items, changeOf);
  const decided = progress.complete && gain !== null;
  return {
    progress,
    runs,
    adopted,
    shortened,
    gain: gain?.interval ?? null,
    holds: decided ? adopted >= LEAST_ADOPTED && shortened >= LEAST_SHORTENED : null,
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

/** The six starts of H1 by their mean gain in sampled accuracy over both seeds; null before all runs are made. */
export function rankedStarts(study: Study): RankedStart[] | null {
  const { runs, progress } = demonstration(study);
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
