/** How long a run takes: here, by what "Check this computer" has timed, and where one like it was recorded. */
import type { BackendWish, ComputerCheck, PresetTime } from '../../../workers/protocol';
import { presetOf } from '../../run/config/presets';
import { completionsOf, sameModel, type RunConfig } from '../../run/config/config';
import { answersOf } from '../../run/config/evaluation-plan';
import type { StepRecord } from '../../run/record/events';
import type { Recording } from '../page/recording';

export interface RunEstimate {
  seconds: number;
  backend: PresetTime['backend'];
}

/**
 * Steps by their completions, and the answers of all evaluations: the timing of the run's own preset, or else of another
 * one that trains the same model.
 *
 * @param wish - `automatic`: on the backend that is faster by the same timing
 * @returns null where none of them was timed
 */
export function estimateRun(
  config: RunConfig,
  { times }: Pick<ComputerCheck, 'times'>,
  wish: BackendWish = 'automatic',
): RunEstimate | null {
  const fits = (time: PresetTime): boolean => {
    const preset = presetOf(time);
    return time.error === null && preset !== null && sameModel(preset, config);
  };
  const fitting = times.filter((time) => fits(time) && (wish === 'automatic' || time.backend === wish));
  const own = fitting.filter(({ preset }) => preset === config.preset);
  const estimates = (own.length > 0 ? own : fitting).map((time): RunEstimate => ({
    backend: time.backend,
    seconds: secondsOf(config, time),
  }));
  return estimates.length === 0
    ? null
    : estimates.reduce((best, other) => (other.seconds < best.seconds ? other : best));
}

/** What a run would take where another of its model was recorded. */
export function secondsAsRecorded(
  { opening, elapsed, records, config }: Recording,
  asked: RunConfig,
): number {
  const training = records.reduce((sum, { step_time: time }) => sum + (time ?? 0), 0);
  const evaluating = Math.max(0, opening + elapsed[elapsed.length - 1] - training);
  const trained = training / (completionsOf(config) * config.steps);
  return secondsOf(asked, { trained, answered: evaluating / answersOf(config) });
}

function secondsOf(config: RunConfig, { trained, answered }: { trained: number; answered: number }): number {
  return trained * completionsOf(config) * config.steps + answered * answersOf(config);
}

/** Seconds of a run, by one of the same model; null where none of these has taken a step. */
export function secondsAsMeasured(
  config: RunConfig,
  runs: readonly { config: RunConfig; steps: readonly StepRecord[] }[],
): number | null {
  const known = runs.find((run) => run.steps.length > 0 && sameModel(run.config, config));
  if (known === undefined) return null;
  const perCompletion = (metric: string): number =>
    known.steps.reduce((sum, step) => sum + (step[metric] ?? 0), 0) /
    (known.steps.length * completionsOf(known.config));
  return secondsOf(config, { trained: perCompletion('step_time'), answered: perCompletion('time/rollout') });
}
