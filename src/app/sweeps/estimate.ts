/** How long a queue of runs will take on this computer, from runs that it has made. */
import type { RunConfig } from '../../rl/config';
import type { StepRecord } from '../../rl/events';

/** What a run of this computer took: its configuration and its steps. */
export interface MeasuredRun {
  config: RunConfig;
  steps: readonly StepRecord[];
}

function completions({ rollout }: RunConfig): number {
  return rollout.promptsPerStep * rollout.samplesPerPrompt;
}

export function sameModel(one: RunConfig, other: RunConfig): boolean {
  return JSON.stringify(one.model) === JSON.stringify(other.model);
}

/**
 * Time for the steps of all runs, each taken to cost what a completion of its model has cost before; evaluations come on
 * top.
 *
 * @returns seconds, or null where some model has not been run here
 */
export function estimateSeconds(
  queue: readonly RunConfig[],
  measured: readonly MeasuredRun[],
): number | null {
  let total = 0;
  for (const config of queue) {
    const known = measured.find((run) => run.steps.length > 0 && sameModel(run.config, config));
    if (known === undefined) return null;
    const spent = known.steps.reduce((sum, { step_time: seconds = 0 }) => sum + seconds, 0);
    const perCompletion = spent / (known.steps.length * completions(known.config));
    total += perCompletion * completions(config) * config.steps;
  }
  return total;
}
