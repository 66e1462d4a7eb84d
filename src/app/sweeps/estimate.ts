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

/** Orders that a world asks for. */
const ORDERS = 5;

/** Held-out sets: the orders that are not trained on, people who come back, and of the swaps two other worlds. */
function heldOutSets({ data: { orders, source } }: RunConfig): number {
  return ORDERS - orders.length + 1 + (source === 'swap' ? 2 : 0);
}

/** Questions of the held-out and validation sets per question of a look. */
export function besidesOf(config: RunConfig): number {
  const { items, validationItems = 0 } = config.evaluation;
  return (validationItems + heldOutSets(config) * Math.ceil(items / 4)) / items;
}

/** Traces that the ends of a run take a statement from, three short answers each: what one whole answer costs, about. */
const FALSIFIED = 500;

/**
 * Answers of a run's evaluation at a step: of looks in between, and of the two ends, which are sampled besides and whose
 * traces are falsified.
 *
 * @param besides - questions of the held-out and validation sets per question of a look
 */
export function answersAt(step: number, { steps, evaluation }: RunConfig, besides: number): number {
  const { items, finalItems = items } = evaluation;
  const isEnd = step === 0 || step === steps;
  const most = Math.max(items, finalItems);
  return items * besides + (isEnd ? 2 * most + Math.min(most, FALSIFIED) : items);
}

/** Answers of all evaluations of a run, or of those after a step that was evaluated. */
export function answersOf(config: RunConfig, besides: number, evaluated = -1): number {
  const { steps, evaluation } = config;
  let answers = 0;
  for (let step = 0; step < steps; step += evaluation.every) {
    if (step > evaluated) answers += answersAt(step, config, besides);
  }
  return answers + (steps > evaluated ? answersAt(steps, config, besides) : 0);
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
