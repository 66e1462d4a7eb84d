/**
 * What a run's evaluations ask, told from its configuration alone: the trainer draws its sets by this, and the page counts
 * by it what a run has still to answer.
 */
import type { DataSpec } from '../../tom/item';
import { heldOutTasks, isWorldName, worldOrders } from '../../tom/worlds/orders';
import { swapDefaults, swapEventRange } from '../../tom/worlds/swap';
import type { RunConfig } from './config';
import { importedId } from './imported';

/** Traces at most that the ends of a run cut and falsify. */
export const FALSIFIED = 500;

/** Questions of each set. */
export function questionCounts({ evaluation }: RunConfig) {
  const { items, finalItems = items, validationItems = 0, taskItems = 0, importedItems = items } = evaluation;
  return {
    /** Of the fixed set at both ends of the run. */
    ends: Math.max(items, finalItems),
    /** Of these, the ones that a look in between asks. */
    look: items,
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
  return source === 'swap' ? [...sets, ...otherSwapWorlds({ reentry, rho, events })] : sets;
}

/** People who come back, stories with half as many events again, and the world at large where the run's own has the artefact more often. */
function otherSwapWorlds({
  reentry,
  rho = swapDefaults.rho,
  events = swapDefaults.events,
}: Pick<DataSpec, 'reentry' | 'rho' | 'events'>): HeldOutSet[] {
  const more = Math.min(swapEventRange.most, Math.round(1.5 * events));
  return [
    ...(reentry ? [] : [{ name: 're-entry', changed: { reentry: true } }]),
    ...(more > events ? [{ name: 'longer stories', changed: { events: more } }] : []),
    ...(rho > swapDefaults.rho ? [{ name: 'other world', changed: { rho: swapDefaults.rho } }] : []),
  ];
}

/** Whether a run is evaluated at a step: at both ends, and at looks in between. */
export function isEvaluatedAt(step: number, { steps, evaluation }: RunConfig): boolean {
  return step % evaluation.every === 0 || step >= steps;
}

/** Whether an evaluation at the step is a look in between. */
export function isLookAt(step: number, { steps }: RunConfig): boolean {
  return step > 0 && step < steps;
}

/** Orders that an imported data set can have: 0 to 4. */
const MOST_ORDERS = 5;

/**
 * Answers that a look asks for, or either end: there the fixed set is sampled besides, and traces are falsified, each by
 * three short answers that take about as long as a whole one. Of imported data sets, whose files the configuration does
 * not hold, the questions are counted that they can have at most.
 */
function answersOfOne(isLook: boolean, config: RunConfig): number {
  const { data, evaluation } = config;
  const counts = questionCounts(config);
  const isImported = importedId(data.source) !== null;
  const sets = isImported ? MOST_ORDERS - data.orders.length : heldOutSets(data).length;
  const besides =
    sets * counts.heldOut +
    counts.validation +
    heldOutTasks.length * counts.task +
    (evaluation.imported?.length ?? 0) * counts.imported;
  if (isLook) return counts.look + besides;
  const falsified = data.source === 'swap' ? Math.min(counts.ends, FALSIFIED) : 0;
  return 2 * counts.ends + falsified + besides;
}

/** Answers of the evaluation at a step. */
export function answersAt(step: number, config: RunConfig): number {
  return answersOfOne(isLookAt(step, config), config);
}

/** Answers of all evaluations of a run, or of those after a step that was evaluated. */
export function answersOf(config: RunConfig, evaluated = -1): number {
  const { steps, evaluation } = config;
  const looksBefore = (step: number): number => Math.max(0, Math.floor((step - 1) / evaluation.every));
  const looks = Math.max(0, looksBefore(steps) - looksBefore(evaluated + 1));
  const ends = Number(evaluated < 0) + Number(evaluated < steps);
  return looks * answersOfOne(true, config) + ends * answersOfOne(false, config);
}
