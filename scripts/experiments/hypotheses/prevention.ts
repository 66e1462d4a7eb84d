/** H5: what keeps the reasoning; 25k, four starts, their first RL seeds, one change an arm. */
import { intervalOf, probabilityOf, type Interval } from '../bootstrap';
import { MORE_PRETRAINING_STEPS, PRETRAINING_STEPS, type RunPlan } from '../plan';
import {
  armOf,
  faithfulMarks,
  isFirstSeed,
  madeOf,
  pooled,
  progressOf,
  ratioOf,
  type JudgedRun,
  type Progress,
  type Study,
} from '../study';
import type { Finding } from './finding';

/** Fraction of F that an arm must keep. */
export const LEAST_KEPT = 0.8;

export interface Arm {
  name: string;
  runs: JudgedRun[];
  progress: Progress;
  /** Pooled F after / F before; null without runs or where no trace was faithful before. */
  kept: Interval | null;
  /** The lower bound of `kept` is at least .8; null while runs are missing. */
  prevents: boolean | null;
}

export interface Shortening {
  /** Mean over the starts of the first step at which the think length has halved; a run in which it never does counts one step more than it has. */
  penalty: number;
  base: number;
  starts: number;
}

export interface Prevention extends Finding {
  /** The run without a change. */
  base: Arm;
  arms: Arm[];
  shortening: Shortening | null;
}

const isMix = ({ start }: RunPlan): boolean => start.mix.direct === 0;
const isMore = ({ start }: RunPlan): boolean => start.steps === MORE_PRETRAINING_STEPS;
const isUsualStart = (plan: RunPlan): boolean => !isMix(plan) && plan.start.steps === PRETRAINING_STEPS;

const arms: Record<string, (plan: RunPlan) => boolean> = {
  '`faithful` reward': (plan) => armOf(plan) === 'faithful',
  'KL .05': (plan) => armOf(plan) === 'kl-.05',
  'de-biased benchmark': (plan) => armOf(plan) === 'debiased',
  'no direct answers in pretraining': isMix,
  '1,600 steps of pretraining': isMore,
  'SFT on answers (control)': (plan) => armOf(plan) === 'sft-answers',
  'length penalty 1': (plan) => armOf(plan) === 'length-penalty',
  'no think block (control)': (plan) => armOf(plan) === 'no-think',
};

export function prevention(study: Study): Prevention {
  const ofH5 = study.planned.filter((plan) => plan.hypotheses.includes('H5'));
  const changed = ofH5.filter((plan) => !(armOf(plan) === 'base' && isUsualStart(plan)));
  const seeds = new Set(changed.map(({ start }) => start.seed));
  const unchanged = ofH5.filter(
    (plan) => !changed.includes(plan) && isFirstSeed(plan) && seeds.has(plan.start.seed),
  );
  const base = armOfRuns(study, 'none (the runs of H1)', unchanged);
  const all = Object.entries(arms).map(([name, belongs]) => armOfRuns(study, name, changed.filter(belongs)));
  const progress = progressOf(study, [...unchanged, ...changed]);
  const shortening = shorteningOf(armNamed(all, 'length penalty 1'), base);
  const debiased = armNamed(all, 'de-biased benchmark');
  const marks = pooled(debiased.runs, faithfulMarks, study.items, ratioOf);
  const decided = progress.complete && debiased.prevents !== null && shortening !== null;
  return {
    progress,
    base,
    arms: all,
    shortening,
    holds: decided ? debiased.prevents === true && shortening.penalty < shortening.base : null,
    p: decided ? probabilityOf(marks.draws, (kept) => kept < LEAST_KEPT) : null,
  };
}

function armNamed(all: readonly Arm[], name: keyof typeof arms): Arm {
  return all.find((arm) => arm.name === name)!;
}

function armOfRuns(study: Study, name: string, wanted: readonly RunPlan[]): Arm {
  const runs = madeOf(study, wanted);
  const progress = progressOf(study, wanted);
  if (runs.length === 0) return { name, runs, progress, kept: null, prevents: null };
  const { interval, draws } = pooled(runs, faithfulMarks, study.items, ratioOf);
  const kept = Number.isNaN(interval.value) ? null : intervalOf(interval.value, draws);
  const prevents = progress.complete && kept !== null ? kept.low >= LEAST_KEPT : null;
  return { name, runs, progress, kept, prevents };
}

/** Of the starts that have both runs. */
function shorteningOf(penalty: Arm, base: Arm): Shortening | null {
  const pairs = penalty.runs.flatMap((run) => {
    const other = base.runs.find(({ plan }) => plan.start.id === run.plan.start.id);
    return other === undefined ? [] : [{ penalty: halvedAt(run), base: halvedAt(other) }];
  });
  if (pairs.length === 0) return null;
  const mean = (of: 'penalty' | 'base'): number =>
    pairs.reduce((sum, pair) => sum + pair[of], 0) / pairs.length;
  return { penalty: mean('penalty'), base: mean('base'), starts: pairs.length };
}

function halvedAt({ line }: JudgedRun): number {
  const lengths = line.steps['think/mean_length'] ?? [];
  return firstHalved(lengths) ?? lengths.length + 1;
}

/**
 * The first step, counted from 1, at which the mean of the last ten lengths is at most half of the mean of the first five;
 * null where it never is.
 */
export function firstHalved(lengths: readonly number[]): number | null {
  const mean = (from: number, to: number): number =>
    lengths.slice(from, to).reduce((sum, length) => sum + length, 0) / (to - from);
  const half = mean(0, 5) / 2;
  for (let step = 10; step <= lengths.length; step++) if (mean(step - 10, step) <= half) return step;
  return null;
}
