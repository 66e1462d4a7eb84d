/**
 * How long a run takes. A plan holds the work of one step and of each kind of evaluation (`src/plan/plan-run.ts`); divided
 * by the speed of this computer that gives seconds, and the steps that were taken correct it:
 *
 *   seconds     = FLOPs / FLOPs per second + calls * seconds per call
 *   correction  = measured seconds of the last steps / planned seconds of as many
 *   left        = correction * (steps left * step + evaluations left)
 *
 * Steps of a warm start have work of their own, and correct the estimate until the first step on rewards.
 *
 * Planned answers are as long as allowed, so before the first steps the estimate is an upper bound.
 */
import type { RunConfig } from './config/config';
import { evaluationsAfter } from './config/evaluation-plan';
import { warmStepsOf } from './config/warm-start';
import type { StepRecord } from './record/events';

export interface Work {
  /** Multiplications and additions; other operations in proportion to their time. */
  flops: number;
  /** Kernels run: each has a fixed cost beside its arithmetic. */
  calls: number;
}

/** Parts of a run; `ends` is the evaluation at its first and its last step and at the end of a warm start, `look` any other, `warm` a step of a warm start. */
export type RunParts<T> = Record<'step' | 'ends' | 'look', T> & { warm?: T };

/** What a computer does, timed. */
export interface Speed {
  flopsPerSecond: number;
  secondsPerCall: number;
}

/** What a run needs, in total and by part. */
export interface RunPlan {
  backend: 'wasm' | 'webgpu';
  parameters: number;
  /** Bytes in use at the peak of each phase, and at the peak of the run, with what fragmentation adds. */
  bytes: Record<'load' | 'evaluate' | 'rollout' | 'reference' | 'update' | 'peak', number>;
  /** Bytes of the largest buffer, and of the largest that one kernel binds. */
  largest: { allocated: number; bound: number };
  work: RunParts<Work>;
}

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

/** How far a run is. */
export interface RunSoFar {
  config: RunConfig;
  records: readonly StepRecord[];
  /** Last step that was evaluated; -1 for none. */
  evaluated: number;
  /** Done fraction of the evaluation in progress; 0 where none is. */
  evaluating: number;
}

export const notBegun = (config: RunConfig): RunSoFar => ({
  config,
  records: [],
  evaluated: -1,
  evaluating: 0,
});

/** Steps whose pace counts: what else the computer does changes. */
const WINDOW = 12;
/** The first steps compile and fill caches: later ones replace them. */
const UNLIKE = 2;

/** Seconds of the last steps on average, keeping them included; null before the first. */
export function measuredStep(records: readonly StepRecord[]): number | null {
  const usual = records.length > UNLIKE ? records.slice(UNLIKE).slice(-WINDOW) : records;
  const seconds = usual.flatMap((record) => stepSeconds(record) ?? []);
  return seconds.length === 0 ? null : seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
}

/** Seconds of a step, keeping it included; undefined where the record does not say, as of runs from elsewhere. */
export function stepSeconds({
  step_time: seconds,
  'time/store': keeping = 0,
}: StepRecord): number | undefined {
  return seconds === undefined ? undefined : seconds + keeping;
}

/** Seconds until a run ends, its evaluations included. */
export function secondsLeft(
  planned: RunParts<number>,
  { config, records, evaluated, evaluating }: RunSoFar,
): number {
  const warmSteps = warmStepsOf(config);
  const { step, warm = step } = planned;
  const ofRewards = records.filter((record) => record.step > warmSteps);
  const isWarm = warmSteps > 0 && ofRewards.length === 0;
  const plannedStep = isWarm ? warm : step;
  const correction = (measuredStep(isWarm ? records : ofRewards) ?? plannedStep) / plannedStep;
  const { ends, look, next } = evaluationsAfter(evaluated, config);
  const taken = records.at(-1)?.step ?? 0;
  const stepsLeft =
    Math.max(0, warmSteps - taken) * warm + Math.max(0, config.steps - Math.max(taken, warmSteps)) * step;
  return correction * (stepsLeft + ends * planned.ends + look * planned.look - evaluating * planned[next]);
}

/** `45 seconds`, `12 minutes`, `3 hours`, `4 days`: as exact as an estimate is. */
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
