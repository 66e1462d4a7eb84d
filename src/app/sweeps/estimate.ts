/** How long a queue of runs will take on this computer, from runs that it has made. */
import type { RunConfig } from '../../run/config/config';
import type { StepRecord } from '../../run/record/events';
import type { Evaluation } from '../../run/record/evaluation';

/** What a run of this computer took: its configuration, its steps, and what it was asked. */
export interface MeasuredRun {
  config: RunConfig;
  steps: readonly StepRecord[];
  evaluations: readonly Evaluation[];
}

export function completionsOf({ rollout }: RunConfig): number {
  return rollout.promptsPerStep * rollout.samplesPerPrompt;
}

export function sameModel(one: RunConfig, other: RunConfig): boolean {
  return JSON.stringify(one.model) === JSON.stringify(other.model);
}

/**
 * Answers of all evaluations of a run: of looks in between, and of the two ends, which are sampled besides.
 *
 * @param besides - questions of the held-out and validation sets per question of a look
 */
export function answersOf({ steps, evaluation }: RunConfig, besides: number): number {
  const { every, items, finalItems = items } = evaluation;
  const final = Math.max(items, finalItems);
  const looks = Math.ceil(steps / every) - 1;
  return looks * items + (looks + 2) * items * besides + 4 * final;
}

/**
 * Time for the steps and evaluations of all runs: a step is taken to cost what a completion of its model has cost
 * before, sampled and trained on, and an evaluation what one has cost to sample.
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
    const perCompletion = (metric: string): number =>
      known.steps.reduce((sum, step) => sum + (step[metric] ?? 0), 0) /
      (known.steps.length * completionsOf(known.config));
    const report = known.evaluations.at(-1)?.report;
    const besides = [report?.validation, ...Object.values(report?.heldOut ?? {})];
    const perLookItem =
      besides.reduce((sum, set) => sum + (set?.count ?? 0), 0) / known.config.evaluation.items;
    total += perCompletion('step_time') * completionsOf(config) * config.steps;
    total += perCompletion('time/rollout') * answersOf(config, perLookItem);
  }
  return total;
}
