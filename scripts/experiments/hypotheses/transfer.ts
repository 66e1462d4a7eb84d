/** H6: what training on some orders does to the others; 25k, four starts, their first RL seeds. */
import { probabilityOf, resampleRuns, intervalOf, drawRuns, type Interval } from '../bootstrap';
import {
  armOf,
  byStart,
  changeOf,
  isFirstSeed,
  madeOf,
  orderMarks,
  pooled,
  progressOf,
  SEED,
  type JudgedRun,
  type Study,
} from '../study';
import type { Finding } from './finding';

const trainings = [
  { name: '{1}', arm: 'order-1' },
  { name: '{3}', arm: 'order-3' },
  { name: '{1, 2, 3}', arm: 'base' },
] as const;
const asked = [1, 2, 3] as const;

export interface OrderFigure {
  order: number;
  before: Interval;
  after: Interval;
  /** Paired; null for order 4, whose items are kept as counts. */
  change: Interval | null;
}

export interface LookFigure {
  step: number;
  benchmark: Interval;
  otherWorld: Interval;
}

export interface Training {
  name: string;
  runs: JudgedRun[];
  /** Greedy accuracy by order, 1 to 4; empty without runs. */
  orders: OrderFigure[];
  looks: LookFigure[];
}

export interface Transfer extends Finding {
  trainings: Training[];
  /** Null while the training's runs are missing. */
  lowersThree: boolean | null;
  lowersOne: boolean | null;
  /** After {1, 2, 3}, accuracy rises from order to order. */
  inverted: boolean | null;
}

export function transfer(study: Study): Transfer {
  const ofH6 = study.planned.filter((plan) => plan.hypotheses.includes('H6'));
  const seeds = new Set(ofH6.filter((plan) => armOf(plan) !== 'base').map(({ start }) => start.seed));
  const wanted = ofH6.filter((plan) => isFirstSeed(plan) && seeds.has(plan.start.seed));
  const progress = progressOf(study, wanted);
  const all = trainings.map(({ name, arm }): Training & { complete: boolean } => {
    const planned = wanted.filter((plan) => armOf(plan) === arm);
    const runs = madeOf(study, planned);
    const figures = runs.length === 0 ? { orders: [], looks: [] } : figuresOf(study, runs);
    return { name, runs, ...figures, complete: runs.length > 0 && progressOf(study, planned).complete };
  });
  const [one, three, allOrders] = all;
  const lowers = (training: (typeof all)[number], order: number): boolean | null =>
    training.complete ? changeAt(training, order).high < 0 : null;
  const lowersThree = lowers(one, 3);
  const lowersOne = lowers(three, 1);
  const decided = progress.complete && lowersThree !== null && lowersOne !== null;
  return {
    progress,
    trainings: all,
    lowersThree,
    lowersOne,
    inverted: allOrders.complete ? rises(allOrders.orders.map(({ after }) => after.value)) : null,
    holds: decided ? lowersThree || lowersOne : null,
    p: decided
      ? probabilityOf(
          pooled(one.runs, (run) => orderMarks(run, 3), study.items, changeOf).draws,
          (change) => change >= 0,
        )
      : null,
  };
}

function changeAt({ orders }: Training, order: number): Interval {
  return orders.find((figure) => figure.order === order)!.change!;
}

function rises(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value > values[index - 1]);
}

function figuresOf(study: Study, runs: JudgedRun[]): Pick<Training, 'orders' | 'looks'> {
  const { items } = study;
  const paired = asked.map((order): OrderFigure => {
    const figure = (of: typeof changeOf): Interval =>
      pooled(runs, (run) => orderMarks(run, order), items, of).interval;
    return {
      order,
      before: figure(({ before, count }) => before / count),
      after: figure(({ after, count }) => after / count),
      change: figure(changeOf),
    };
  });
  const orderFour = (side: 'before' | 'after'): Interval =>
    meanAccuracy(runs, ({ line }) => pairOf(line[side].others['order 4']), items.draws);
  return {
    orders: [...paired, { order: 4, before: orderFour('before'), after: orderFour('after'), change: null }],
    looks: looksOf(runs, items.draws),
  };
}

type Correct = [correct: number, count: number];

/** At step 0, at every look that all runs have, and at the end. */
function looksOf(runs: readonly JudgedRun[], draws: number): LookFigure[] {
  const at = (
    step: number,
    benchmark: (run: JudgedRun) => Correct,
    otherWorld: (run: JudgedRun) => Correct,
  ): LookFigure => ({
    step,
    benchmark: meanAccuracy(runs, benchmark, draws),
    otherWorld: meanAccuracy(runs, otherWorld, draws),
  });
  const end = (side: 'before' | 'after', step: number): LookFigure =>
    at(
      step,
      ({ line }) => greedyPair(line[side].greedy.correct),
      ({ line }) => pairOf(line[side].others['other world']),
    );
  const between = runs[0].line.looks.map(({ step }, index) =>
    at(
      step,
      ({ line }) => pairOf(line.looks[index].benchmark),
      ({ line }) => pairOf(line.looks[index].otherWorld),
    ),
  );
  return [end('before', 0), ...between, end('after', runs[0].line.config.steps)];
}

function pairOf({ correct, count }: { correct: number; count: number }): Correct {
  return [correct, count];
}

function greedyPair(correct: string): Correct {
  return [correct.replaceAll('0', '').length, correct.length];
}

/**
 * Mean accuracy over runs of which only counts are kept: starts and seeds are drawn, and drawing a run's items again is a
 * binomial draw of its count, here by its normal approximation.
 */
function meanAccuracy(runs: readonly JudgedRun[], of: (run: JudgedRun) => Correct, draws: number): Interval {
  const starts = byStart(runs).map((ofStart) => ofStart.map(of));
  const all = starts.flat();
  const value = all.reduce((sum, [correct, count]) => sum + correct / count, 0) / all.length;
  const drawn = resampleRuns(draws, SEED, (random) => {
    const chosen = drawRuns(starts, random);
    const total = chosen.reduce((sum, [correct, count]) => {
      const accuracy = correct / count;
      return sum + accuracy + random.normal() * Math.sqrt((accuracy * (1 - accuracy)) / count);
    }, 0);
    return total / chosen.length;
  });
  return intervalOf(value, drawn);
}
