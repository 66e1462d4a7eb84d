/** H7 on docs/results.md. */
import { publishedFigure } from '../figures/published';
import { decimal, percent, points, table, withInterval } from '../format';
import { HALF, PLANNED_RUNS, type OrderRow, type PublishedBenchmark } from '../hypotheses/published';
import type { RunLine } from '../lines';
import { type Section } from './section';

export function publishedSection(h7: PublishedBenchmark): Section {
  const { runs, rows, unchanged, repeats, lengthRatio } = h7;
  const all = rows.at(0);
  const ending =
    repeats === null
      ? `**not decided yet: ${runs.length} of ${PLANNED_RUNS} runs made.**`
      : `**${repeats ? 'repeats' : 'does not repeat'} the papers’ pattern.**`;
  const numbers =
    all === undefined
      ? ''
      : ` On ${all.items} published items of orders 0 to 3, greedy accuracy goes from ${percent(all.before)} to ${percent(all.after)} %, by ${withInterval(all.change, points)} points, and the mean think length to ${decimal(lengthRatio)} of what it was (below ${decimal(HALF)} was asked; n = ${runs.length} runs of one start).`;
  return {
    heading: 'H7: the published benchmark',
    outcome: `${ending}${numbers}`,
    claim:
      'a model of 0.16 M parameters, trained by ToM-RL’s recipe on our Hi-ToM stories with the artefact, gains on the published items of orders 0 to 3 (paired interval above 0) while its mean think length falls below half.',
    figures:
      rows.length === 0
        ? {}
        : {
            'h7-published.svg': {
              svg: publishedFigure(rows),
              about:
                'Accuracy on the published items by order, before and after, with the line of the shortcut',
            },
          },
    table:
      rows.length === 0
        ? []
        : [
            ...table(
              ['order', 'items', 'shortcut', 'accuracy %', 'change, points', 'think tokens', 'F'],
              [...rows, ...(unchanged === null ? [] : [unchanged])].map(publishedRow),
            ),
            '',
            ...table(
              ['run', 'our stories, orders 0 to 3', 'order 4 (never trained)', 'think tokens'],
              runs.map(ownStoriesRow),
            ),
          ],
    hypothesis: [
      '# makes its runs; the two files are their authors’',
      'npm run experiments:published -- --published Hi-ToM_data.json,ToM_train_HiEx_hint.parquet',
    ],
  };
}

function publishedRow(row: OrderRow): string[] {
  return [
    row.name,
    String(row.items),
    decimal(row.shortcut),
    `${percent(row.before)} → ${percent(row.after)}`,
    withInterval(row.change, points),
    `${row.thinkBefore.toFixed(1)} → ${row.thinkAfter.toFixed(1)}`,
    `${decimal(row.faithfulBefore)} → ${decimal(row.faithfulAfter)}`,
  ];
}

function ownStoriesRow({ id, before, after }: RunLine): string[] {
  const pair = (set: string): string => {
    const share = ({ others }: typeof before): string => percent(others[set].correct / others[set].count);
    return `${share(before)} → ${share(after)}`;
  };
  const length = ({ others }: typeof before): string => others['hitom-short'].meanThinkLength.toFixed(1);
  return [id, pair('hitom-short'), pair('hitom-short, order 4'), `${length(before)} → ${length(after)}`];
}
