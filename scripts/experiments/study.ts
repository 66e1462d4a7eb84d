/** The finished runs with their verdicts, beside what was planned. */
import { fromOutcomeTable } from '../../src/run/outcome-table';
import type { ItemOutcome } from '../../src/run/outcomes';
import type { Ending } from '../../src/run/ending';
import { verdictOf } from '../../src/run/verdict';
import type { Verdict } from '../../src/run/evaluation';
import {
  DRAWS,
  drawItems,
  intervalOf,
  resampleMarks,
  sumOfMarks,
  type Interval,
  type ItemDraws,
  type Marks,
  type MarkSums,
} from './bootstrap';
import type { RunLine } from './lines';
import type { Outcomes } from './measure';
import type { RunPlan } from './plan';

export interface JudgedRun {
  plan: RunPlan;
  line: RunLine;
  verdict: Verdict;
  /** C0: the start had reasoning to lose. */
  reasoned: boolean;
  /** Collapsed or decorated. */
  loses: boolean;
  /** Paired change of the sampled accuracy, 95 %. */
  gain: Interval;
  sampled: { before: number; after: number };
}

export type EndingName = Ending | 'no reasoning to lose';

/** The ending, and where it is undetermined for a start that fails C0, that. */
export function endingName({ verdict: { ending }, reasoned }: JudgedRun): EndingName {
  return ending === 'undetermined' && !reasoned ? 'no reasoning to lose' : ending;
}

export interface Study {
  planned: readonly RunPlan[];
  /** By id. */
  made: ReadonlyMap<string, JudgedRun>;
  /** Ids of planned runs that will not be made. */
  dropped: ReadonlySet<string>;
  items: ItemDraws;
}

/** How many of the runs of a hypothesis there are. */
export interface Progress {
  made: number;
  planned: number;
  dropped: number;
  /** Nothing is still to be made. */
  complete: boolean;
}

export const SEED = 20_261_121;

export interface StudyOptions {
  dropped?: readonly string[];
  /** Draws of every bootstrap. */
  draws?: number;
}

/** @throws Error where a line is of no planned run */
export function createStudy(
  planned: readonly RunPlan[],
  lines: readonly RunLine[],
  { dropped = [], draws = DRAWS }: StudyOptions = {},
): Study {
  const plans = new Map(planned.map((plan) => [plan.id, plan]));
  const items = drawItems(lines[0]?.before.greedy.correct.length ?? 1, draws, SEED);
  const made = new Map<string, JudgedRun>();
  for (const line of lines) {
    const plan = plans.get(line.id);
    if (plan === undefined)
      throw new Error(`${line.id} is no run of scripts/experiments/plan.ts. Take its line out.`);
    if (line.before.greedy.correct.length !== items.count) {
      throw new Error(
        `${line.id} was measured on ${line.before.greedy.correct.length} items, the first run on ${items.count}. Make it again.`,
      );
    }
    made.set(line.id, judge(plan, line, items));
  }
  return { planned, made, dropped: new Set(dropped.filter((id) => !made.has(id))), items };
}

export function progressOf({ made, dropped }: Study, wanted: readonly RunPlan[]): Progress {
  const count = wanted.filter(({ id }) => made.has(id)).length;
  const gone = wanted.filter(({ id }) => dropped.has(id)).length;
  return { made: count, planned: wanted.length, dropped: gone, complete: count + gone === wanted.length };
}

/** The finished ones of these runs, those of one start together. */
export function madeOf({ made }: Study, wanted: readonly RunPlan[]): JudgedRun[] {
  return wanted.flatMap(({ id }) => made.get(id) ?? []);
}

export function byStart(runs: readonly JudgedRun[]): JudgedRun[][] {
  const starts = new Map<string, JudgedRun[]>();
  for (const run of runs) starts.set(run.plan.start.id, [...(starts.get(run.plan.start.id) ?? []), run]);
  return [...starts.values()];
}

export const armOf = ({ id }: RunPlan): string => id.split('/')[1];

export const isFirstSeed = ({ config, start }: RunPlan): boolean => config.seed === 100 * start.seed + 1;

/** A figure of the pooled marks of some runs, and its value on every draw of starts, seeds and items. */
export function pooled(
  runs: readonly JudgedRun[],
  marks: (run: JudgedRun) => Marks,
  items: ItemDraws,
  figure: (sums: MarkSums) => number,
): { interval: Interval; draws: Float64Array } {
  const starts = byStart(runs).map((ofStart) => ofStart.map(marks));
  const draws = Float64Array.from(resampleMarks(starts, items, SEED), figure);
  return { interval: intervalOf(figure(sumOfMarks(starts.flat())), draws), draws };
}

export const changeOf = ({ before, after, count }: MarkSums): number =>
  count === 0 ? NaN : (after - before) / count;

export const ratioOf = ({ before, after }: MarkSums): number => (before === 0 ? NaN : after / before);

export function sampledMarks({ line }: Pick<JudgedRun, 'line'>): Marks {
  return {
    before: ones(line.before.sampled.correct, '1'),
    after: ones(line.after.sampled.correct, '1'),
    counted: new Uint8Array(line.before.sampled.correct.length).fill(1),
  };
}

export function faithfulMarks({ line: { before, after } }: JudgedRun): Marks {
  return {
    before: ones(before.greedy.trace, 'f'),
    after: ones(after.greedy.trace, 'f'),
    counted: new Uint8Array(before.greedy.trace.length).fill(1),
  };
}

/** Greedy accuracy on the questions of one order. */
export function orderMarks({ line: { before, after } }: Pick<JudgedRun, 'line'>, order: number): Marks {
  return {
    before: ones(before.greedy.correct, '1'),
    after: ones(after.greedy.correct, '1'),
    counted: ones(before.greedy.order, String(order)),
  };
}

function ones(text: string, one: string): Uint8Array {
  return Uint8Array.from(text, (character) => Number(character === one));
}

function judge(plan: RunPlan, line: RunLine, items: ItemDraws): JudgedRun {
  const verdict = verdictOf(itemOutcomes(line.before.greedy), itemOutcomes(line.after.greedy), {
    step: line.config.steps,
    provisional: false,
    draws: items.draws,
  });
  const marks = sampledMarks({ line });
  const sums = sumOfMarks([marks]);
  return {
    plan,
    line,
    verdict,
    reasoned: verdict.conditions.reasonedAtStart,
    loses: verdict.ending === 'collapsed' || verdict.ending === 'decorated',
    gain: intervalOf(changeOf(sums), resampleMarks([[marks]], items, SEED).map(changeOf)),
    sampled: { before: sums.before / sums.count, after: sums.after / sums.count },
  };
}

/** The outcomes of a line as the verdict takes them. */
export function itemOutcomes({ shortcut, ...columns }: Outcomes): ItemOutcome[] {
  return fromOutcomeTable({ ...columns, shortcutRight: shortcut });
}
