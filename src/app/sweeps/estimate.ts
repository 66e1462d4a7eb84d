/** How long a run will take, from what the completions of its model have taken before. */
import type { RunConfig } from '../../run/config/config';
import type { StepRecord } from '../../run/record/events';

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

/** Questions of the held-out and validation sets at each look. */
function questionsBesides(config: RunConfig): number {
  const { items, validationItems = 0 } = config.evaluation;
  return validationItems + heldOutSets(config) * Math.ceil(items / 4);
}

/** Traces that the ends of a run take a statement from, three short answers each: what one whole answer costs, about. */
const FALSIFIED = 500;

/** Answers of a run's evaluation at a step: of looks in between, and of the two ends, which are sampled besides and whose traces are falsified. */
export function answersAt(step: number, config: RunConfig): number {
  const { items, finalItems = items } = config.evaluation;
  const isEnd = step === 0 || step === config.steps;
  const most = Math.max(items, finalItems);
  return questionsBesides(config) + (isEnd ? 2 * most + Math.min(most, FALSIFIED) : items);
}

/** Answers of all evaluations of a run, or of those after a step that was evaluated. */
export function answersOf(config: RunConfig, evaluated = -1): number {
  const { steps, evaluation } = config;
  let answers = 0;
  for (let step = 0; step < steps; step += evaluation.every) {
    if (step > evaluated) answers += answersAt(step, config);
  }
  return answers + (steps > evaluated ? answersAt(steps, config) : 0);
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
