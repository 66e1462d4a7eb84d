/**
 * Derives the sizes and steps of a run's evaluations from its configuration. The trainer builds its sets from this plan,
 * and the page computes the remaining work from it.
 */
import type { DataSpec } from '../../tom/item';
import { isWorldName, roomsDefaults, worldOrders } from '../../tom/worlds/orders';
import { swapDefaults, swapEventRange } from '../../tom/worlds/swap';
import type { RunConfig } from './config';
import { adapterPlaceOf } from './saved-adapter';
import { borderOf } from './warm-start';

/** Twice the minimum of a verdict, because bounds on few items are wide. */
const HARD = 60;

/** Number of questions in each set. */
export function questionCounts({ evaluation }: Pick<RunConfig, 'evaluation'>) {
  const { items, finalItems = items, hardItems = HARD } = evaluation;
  const { taskItems = 0, importedItems = items } = evaluation;
  return {
    /** Fixed set at step 0, at the end of a warm start and at the last step. */
    ends: Math.max(items, finalItems),
    /** Subset of the fixed set for intermediate evaluations. */
    look: items,
    /** Minimum number of hard questions. If the fixed set has fewer, additional ones are drawn. */
    hard: hardItems,
    /** Each held-out set. */
    heldOut: Math.ceil(items / 4),
    /** Each generated task. */
    task: taskItems,
    /** Maximum of each imported data set. */
    imported: importedItems,
  };
}

/** Evaluation set that training never uses. */
export interface HeldOutSet {
  name: string;
  /** Differences from the specification of the evaluation set. */
  changed: Partial<DataSpec>;
}

/** Returns the held-out sets of a run on generated items. The orders of imported sets come from their files. */
export function heldOutSets({ source, orders, reentry, rho, events = swapDefaults.events }: DataSpec) {
  const others = isWorldName(source) ? worldOrders[source].filter((order) => !orders.includes(order)) : [];
  const sets = others.map((order): HeldOutSet => ({ name: `order ${order}`, changed: { orders: [order] } }));
  const isSwap = source === 'swap';
  const more = Math.min(swapEventRange.most, Math.round(1.5 * events));
  // People who return, and stories with 1.5 times as many events.
  if (isSwap && !reentry) sets.push({ name: 're-entry', changed: { reentry: true } });
  if (isSwap && more > events) sets.push({ name: 'longer stories', changed: { events: more } });
  if (!isSwap && source !== 'rooms') return sets;
  // Stories whose shortcut is mostly wrong, if the run's stories have the artefact more often.
  const own = rho ?? (isSwap ? swapDefaults : roomsDefaults).rho;
  if (own > swapDefaults.rho) sets.push({ name: 'other world', changed: { rho: swapDefaults.rho } });
  return sets;
}

/** True at both ends of the run, at the end of a warm start, and at intermediate evaluations. */
export function isEvaluatedAt(step: number, config: RunConfig): boolean {
  return step % config.evaluation.every === 0 || step >= config.steps || step === borderOf(config);
}

type Plan = Pick<RunConfig, 'steps' | 'evaluation' | 'warmStart'>;

/** True if an evaluation at the step is intermediate. The end of a warm start is not: it is the verdict's baseline. */
export function isLookAt(step: number, config: Plan): boolean {
  return step > 0 && step < config.steps && step !== borderOf(config);
}

/**
 * True if the evaluation of step 0 should be deferred past the first steps (`TrainOptions.evaluatesStartLater`). A step of
 * an embedded model takes less time than its evaluation. A run from a shipped adapter or with a warm start already answers
 * at its first RL step. Other models are evaluated first, to check that they answer at all.
 */
export function isStartEvaluatedLater(config: RunConfig): boolean {
  return config.model.kind === 'embedded' || borderOf(config) > 0 || adapterPlaceOf(config)?.kind === 'ships';
}

/**
 * Counts the remaining full-size (`ends`) and intermediate (`look`) evaluations.
 *
 * @param evaluated - last evaluated step; -1 counts the whole run
 */
export function evaluationsAfter(
  evaluated: number,
  config: Plan,
): { ends: number; look: number; next: 'ends' | 'look' } {
  const {
    steps,
    evaluation: { every },
  } = config;
  const border = borderOf(config);
  const isInstead = border > 0 && border % every === 0;
  const looksBefore = (step: number): number =>
    Math.max(0, Math.floor((step - 1) / every)) - Number(isInstead && border < step);
  const after = every * (Math.floor(evaluated / every) + 1);
  const next = Math.min(after, steps, border > evaluated ? border : steps);
  return {
    ends: Number(evaluated < 0) + Number(border > 0 && evaluated < border) + Number(evaluated < steps),
    look: Math.max(0, looksBefore(steps) - looksBefore(evaluated + 1)),
    next: isLookAt(next, config) ? 'look' : 'ends',
  };
}
