/** H7: accuracy on the published items by order, before and after, with the shortcut's own. */
import type { OrderRow } from '../hypotheses/published';
import { colours, line, mark, page, panel, text, unitTicks, whisker } from '../svg';

const COLUMN = 96;

export function publishedFigure(rows: readonly OrderRow[]): string {
  const [left, top, height] = [84, 56, 220];
  const width = Math.max(COLUMN * rows.length, 480);
  const chart = panel({
    left,
    top,
    width,
    height,
    x: {
      label: 'order of the question',
      from: 0,
      to: rows.length,
      ticks: rows.map(({ name }, index) => [index + 0.5, name]),
    },
    y: { label: 'greedy accuracy', from: 0, to: 1, ticks: unitTicks, grid: true },
  });
  const body = rows.flatMap(({ before, after, change, shortcut }, index) => {
    const at = (offset: number, value: number): readonly [number, number] => [
      chart.x(index + 0.5 + offset),
      chart.y(value),
    ];
    // the interval is of the paired change, so it stands about what the change leads to
    const [low, high] = [before + change.low, before + change.high].map((value) =>
      Math.min(1, Math.max(0, value)),
    );
    return [
      ...(shortcut === null
        ? []
        : [line(at(-0.4, shortcut), at(0.4, shortcut), { stroke: colours.shortcut, width: 2, dash: '5 3' })]),
      mark('circle', at(-0.15, before), { fill: colours.other, hollow: true }),
      whisker(at(0.15, low), at(0.15, high), { stroke: colours.ink }),
      mark('square', at(0.15, after), { fill: colours.ink }),
    ];
  });
  const foot = top + height + 60;
  const legend = [
    mark('circle', [28, foot], { fill: colours.other, hollow: true }),
    text(40, foot + 4, 'before', { size: 11 }),
    mark('square', [104, foot], { fill: colours.ink }),
    text(116, foot + 4, 'after, 95 % of the paired change', { size: 11 }),
    line([312, foot], [336, foot], { stroke: colours.shortcut, width: 2, dash: '5 3' }),
    text(344, foot + 4, 'answering by the shortcut', { size: 11 }),
  ];
  return page(
    left + width + 24,
    foot + 22,
    'H7: the published Hi-ToM items, one chapter, prompts of at most 140 words',
    'Greedy accuracy by order before and after training, both runs together.',
    [...chart.frame, ...body, ...legend],
  );
}
