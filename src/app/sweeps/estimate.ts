/** How long a run will take, from what the completions of its model have taken before. */
import type { RunConfig } from '../../run/config/config';
import { answersOf } from '../../run/config/evaluation-plan';
import type { StepRecord } from '../../run/record/events';

export function completionsOf({ rollout }: RunConfig): number {
  return rollout.promptsPerStep * rollout.samplesPerPrompt;
}

export function sameModel(one: RunConfig, other: RunConfig): boolean {
  return JSON.stringify(one.model) === JSON.stringify(other.model);
}

export function secondsOf(
  config: RunConfig,
  { trained, answered }: { trained: number; answered: number },
): number {
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
