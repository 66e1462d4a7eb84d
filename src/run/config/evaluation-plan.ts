/**
 * What a run's evaluations ask, told from its configuration alone: the trainer draws its sets by this, and the page counts
 * by it what a run has still to answer.
 */
import type { DataSpec } from '../../tom/item';
import { isWorldName, roomsDefaults, worldOrders } from '../../tom/worlds/orders';
import { swapDefaults, swapEventRange } from '../../tom/worlds/swap';
import type { RunConfig } from './config';
import { adapterPlaceOf } from './saved-adapter';
import { borderOf } from './warm-start';

/** Traces at most that the ends of a run cut and falsify. */
export const FALSIFIED = 500;

/** Twice what a verdict asks for, since a bound on few items is wide. */
const HARD = 60;

/** Questions of each set. */
export function questionCounts({ evaluation }: RunConfig) {
  const { items, finalItems = items, hardItems = HARD } = evaluation;
  const { validationItems = 0, taskItems = 0, importedItems = items } = evaluation;
  return {
    /** Of the fixed set at both ends of the run, and at the end of a warm start. */
    ends: Math.max(items, finalItems),
    /** Of these, the ones that a look in between asks. */
    look: items,
    /** On which the shortcut is wrong, at least: what the fixed set lacks is drawn beside it. */
    hard: hardItems,
    /** Of each set that training never sees. */
    heldOut: Math.ceil(items / 4),
    validation: validationItems,
    /** Of each generated task. */
    task: taskItems,
    /** Of each imported data set, at most. */
    imported: importedItems,
  };
}

/** A set that training never sees. */
export interface HeldOutSet {
  name: string;
  /** How its stories and questions differ from those of the evaluation set. */
  changed: Partial<DataSpec>;
}

/** The sets besides that a run on generated items is evaluated on; of imported ones the files say which orders there are. */
export function heldOutSets({ source, orders, reentry, rho, events }: DataSpec): HeldOutSet[] {
  const others = isWorldName(source) ? worldOrders[source].filter((order) => !orders.includes(order)) : [];
  const sets = others.map((order): HeldOutSet => ({ name: `order ${order}`, changed: { orders: [order] } }));
  if (source === 'swap') return [...sets, ...otherSwapWorlds({ reentry, rho, events })];
  return source === 'rooms' ? [...sets, ...otherWorld(rho ?? roomsDefaults.rho)] : sets;
}

/** Stories whose shortcut is mostly wrong, where those of the run have the artefact more often. */
function otherWorld(rho: number): HeldOutSet[] {
  return rho > swapDefaults.rho ? [{ name: 'other world', changed: { rho: swapDefaults.rho } }] : [];
}

/** People who come back, stories with half as many events again, and the world at large. */
function otherSwapWorlds({
  reentry,
  rho = swapDefaults.rho,
  events = swapDefaults.events,
}: Pick<DataSpec, 'reentry' | 'rho' | 'events'>): HeldOutSet[] {
  const more = Math.min(swapEventRange.most, Math.round(1.5 * events));
  return [
    ...(reentry ? [] : [{ name: 're-entry', changed: { reentry: true } }]),
    ...(more > events ? [{ name: 'longer stories', changed: { events: more } }] : []),
    ...otherWorld(rho),
  ];
}

/** Whether a run is evaluated at a step: at both ends, at the end of a warm start, and at looks in between. */
export function isEvaluatedAt(step: number, config: RunConfig): boolean {
  return step % config.evaluation.every === 0 || step >= config.steps || step === borderOf(config);
}

type Plan = Pick<RunConfig, 'steps' | 'evaluation' | 'warmStart'>;

/** Whether an evaluation at the step is a look in between. The end of a warm start is none: the verdict compares with it. */
export function isLookAt(step: number, config: Plan): boolean {
  return step > 0 && step < config.steps && step !== borderOf(config);
}

/**
 * Whether step 0 is better evaluated after the first steps (`TrainOptions.evaluatesStartLater`): an embedded model takes a step
 * sooner than its evaluation, and a run from an adapter that ships, or with a warm start, answers by the first step on rewards.
 * Of any other model it is seen first whether it answers at all.
 */
export function isStartEvaluatedLater(config: RunConfig): boolean {
  return config.model.kind === 'embedded' || borderOf(config) > 0 || adapterPlaceOf(config)?.kind === 'ships';
}

/** Evaluations after a step that was evaluated, or of the whole run: those as large as at its ends, and looks in between. */
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
  const after = evaluated < 0 ? 0 : every * (Math.floor(evaluated / every) + 1);
  const next = Math.min(after, steps, border > evaluated ? border : steps);
  return {
    ends: Number(evaluated < 0) + Number(border > 0 && evaluated < border) + Number(evaluated < steps),
    look: Math.max(0, looksBefore(steps) - looksBefore(evaluated + 1)),
    next: isLookAt(next, config) ? 'look' : 'ends',
  };
}
