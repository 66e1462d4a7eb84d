/**
 * Estimates the duration of a run. A plan holds the work of one step and of each kind of evaluation
 * (`src/plan/plan-run.ts`). Work divided by the speed of this computer gives seconds, and measured steps correct them:
 *
 *   seconds     = FLOPs / FLOPs per second + calls * seconds per call
 *   correction  = measured seconds of the last steps / planned seconds of as many
 *   left        = correction * (steps left * step + evaluations left)
 *
 * Warm-start steps have a separate work figure and correct the estimate until the first RL step.
 *
 * The plan assumes answers of maximum length, so the estimate is an upper bound before the first steps.
 */
import type { RunConfig } from './config/config';
import { evaluationsAfter } from './config/evaluation-plan';
import { warmStepsOf } from './config/warm-start';
import type { StepRecord } from './record/events';

export interface Work {
  /** Multiplications and additions. Other operations count in proportion to their time. */
  flops: number;
  /** Number of kernel launches. Each adds a fixed cost. */
  calls: number;
}

/**
 * Parts of a run. `ends` is an evaluation at step 0, at the end of a warm start or at the last step, `look` any other
 * evaluation, `warm` a step of a warm start.
 */
export type RunParts<T> = Record<'step' | 'ends' | 'look', T> & { warm?: T };

/** Measured speed of a computer. */
export interface Speed {
  flopsPerSecond: number;
  /** Fixed cost of a kernel launch. */
  secondsPerCall: number;
}

/** Resources of a run, in total and by part. */
export interface RunPlan {
  backend: 'wasm' | 'webgpu';
  parameters: number;
  /** Peak bytes of each phase, and of the whole run including fragmentation. */
  bytes: Record<'load' | 'evaluate' | 'rollout' | 'reference' | 'update' | 'peak', number>;
  /** Bytes of the largest allocated buffer, and of the largest buffer that a kernel binds. */
  largest: { allocated: number; bound: number };
  work: RunParts<Work>;
}

/** Planned seconds of each part of a run, on a computer of this speed. */
export function estimate({ work }: Pick<RunPlan, 'work'>, speed: Speed): RunParts<number> {
  const secondsOf = ({ flops, calls }: Work): number =>
    flops / speed.flopsPerSecond + calls * speed.secondsPerCall;
  return {
    step: secondsOf(work.step),
    ends: secondsOf(work.ends),
    look: secondsOf(work.look),
    ...(work.warm && { warm: secondsOf(work.warm) }),
  };
}

/** Progress of a run. */
export interface RunSoFar {
  config: RunConfig;
  records: readonly StepRecord[];
  /** Last evaluated step; -1 for none. */
  evaluated: number;
  /** Completed fraction of the evaluation in progress; 0 for none. */
  evaluating: number;
}

/** Progress of a run before its first step, for `secondsLeft`. */
export const notBegun = (config: RunConfig): RunSoFar => ({
  config,
  records: [],
  evaluated: -1,
  evaluating: 0,
});

/** Number of recent steps to average. The computer's other load changes over time. */
const WINDOW = 12;
/** Number of initial steps to skip once there are later ones. They compile kernels and fill caches. */
const UNLIKE = 2;

/** Number of last records that an estimate needs. */
export const RECENT = WINDOW + UNLIKE;

/** Mean seconds of the recent steps, storage included; null before the first step. */
export function measuredStep(records: readonly StepRecord[]): number | null {
  const usual =
    records.length > UNLIKE ? records.slice(Math.max(UNLIKE, records.length - WINDOW)) : records.slice();
  // Runs of other programs have no timing.
  const seconds = usual.flatMap(({ step_time: own, 'time/store': keeping = 0 }: Partial<StepRecord>) =>
    own === undefined ? [] : own + keeping,
  );
  return seconds.length === 0 ? null : seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
}

/** Remaining seconds of a run, evaluations included. */
export function secondsLeft(
  planned: RunParts<number>,
  { config, records, evaluated, evaluating }: RunSoFar,
): number {
  const warmSteps = warmStepsOf(config);
  const { step, warm = step } = planned;
  const ofRewards = records.filter((record) => record.step > warmSteps);
  const isWarm = ofRewards.length === 0;
  const plannedStep = isWarm ? warm : step;
  const correction = (measuredStep(isWarm ? records : ofRewards) ?? plannedStep) / plannedStep;
  const { ends, look, next } = evaluationsAfter(evaluated, config);
  const taken = records.at(-1)?.step ?? 0;
  const stepsLeft =
    Math.max(0, warmSteps - taken) * warm + Math.max(0, config.steps - Math.max(taken, warmSteps)) * step;
  return correction * (stepsLeft + ends * planned.ends + look * planned.look - evaluating * planned[next]);
}

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;

/** Formats a duration as `45 seconds`, `12 minutes`, `3 hours` or `4 days`, at the precision of an estimate. */
export function durationWords(seconds: number): string {
  const units = [
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const [unit, length] = units.find(([, size]) => seconds >= 1.5 * size) ?? units[3];
  const count = Math.max(1, Math.round(seconds / length));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
