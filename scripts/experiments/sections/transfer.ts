/** H6 on docs/results.md. */
import { hasTransferRuns, looksFigure, ordersFigure } from '../figures/transfer';
import { decimal, percent, points, table, withInterval } from '../format';
import type { Settled } from '../hypotheses/finding';
import { type Transfer } from '../hypotheses/transfer';
import { type Section, ending, tested } from './section';

export function transferSection(h6: Transfer, settled: Settled, draws: number): Section {
  const { trainings, lowersThree, lowersOne, inverted, progress } = h6;
  const [one, three, all] = trainings;
  const change = (training: (typeof trainings)[number], order: number): string =>
    withInterval(training.orders.find((figure) => figure.order === order)?.change ?? null, points);
  const sentence =
    lowersThree === true || lowersOne === true
      ? 'Negative transfer was found'
      : 'No negative transfer was found';
  const after = all.orders.map((figure) => decimal(figure.after.value)).join(' / ');
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` ${sentence}: training on {1} changes order 3 by ${change(one, 3)} points, training on {3} order 1 by ${change(three, 1)} (n = ${one.runs.length} and ${three.runs.length} runs; ${tested(h6, settled, draws)}). The inverted curve is ${inverted === true ? 'there' : 'not there'}: after {1, 2, 3}, orders 1 / 2 / 3 / 4 are at ${after}.`;
  return {
    heading: 'H6: what training on some orders does to the others',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'training on order 1 alone lowers greedy accuracy on order 3, or training on order 3 lowers it on order 1 (negative transfer). Also asked: after {1, 2, 3}, does accuracy rise with the order (inverted curve), and does the benchmark rise without the world at large?',
    figures: hasTransferRuns(trainings)
      ? {
          'h6-orders.svg': {
            svg: ordersFigure(h6),
            about: 'Greedy accuracy by order before and after, by training',
          },
          'h6-worlds.svg': {
            svg: looksFigure(h6),
            about: 'Greedy accuracy on the benchmark and on the world at large over the steps',
          },
        }
      : {},
    table: hasTransferRuns(trainings)
      ? table(
          ['trained on', 'runs', 'order asked', 'accuracy % before', 'after', 'change, points'],
          trainings.flatMap(({ name, runs, orders }) =>
            orders.map((figure) => [
              name,
              String(runs.length),
              String(figure.order),
              withInterval(figure.before, percent),
              withInterval(figure.after, percent),
              withInterval(figure.change, points),
            ]),
          ),
        )
      : [],
    hypothesis: 'H6',
  };
}
