/** H2 and H4: the fraction of runs that lose their reasoning, group by group, and every run's ending beside it. */
import type { LosingGroup } from '../hypotheses/losing';
import { colours, line, mark, page, panel, text, unitTicks, whisker } from '../svg';
import { endingLegend, endingMark } from './endings';

const COLUMN = 190;
const PER_ROW = 4;

export function losingFigure(title: string, label: string, groups: readonly LosingGroup[]): string {
  const [left, top, height] = [84, 56, 220];
  const width = COLUMN * groups.length;
  const chart = panel({
    left,
    top,
    width,
    height,
    x: { label, from: 0, to: groups.length, ticks: groups.map(({ name }, index) => [index + 0.5, name]) },
    y: { label: 'fraction that loses its reasoning', from: 0, to: 1, ticks: unitTicks, grid: true },
  });
  const borders = groups.slice(1).map((_, index) => {
    const at = chart.x(index + 1);
    return line([at, top], [at, top + height], { stroke: colours.faint, dash: '4 4' });
  });
  const body = groups.flatMap(({ runs, reasoned, losing, fraction }, index) => {
    const at = chart.x(index + 0.3);
    const symbols = runs.map((run, place) =>
      endingMark(run, [
        chart.x(index + 0.52) + 18 * (place % PER_ROW),
        chart.y(0.5) + 18 * (Math.floor(place / PER_ROW) - (Math.ceil(runs.length / PER_ROW) - 1) / 2),
      ]),
    );
    if (fraction === null)
      return [...symbols, text(at, chart.y(0.5), 'none', { anchor: 'middle', size: 11 })];
    const value = [at, chart.y(fraction.value)] as const;
    return [
      whisker([at, chart.y(fraction.low)], [at, chart.y(fraction.high)], { stroke: colours.ink, width: 2 }),
      mark('square', value, { fill: colours.ink, radius: 6 }),
      text(at - 12, value[1] + (fraction.value > 0.9 ? 16 : -6), `${losing} of ${reasoned.length}`, {
        anchor: 'end',
        size: 11,
      }),
      ...symbols,
    ];
  });
  const foot = top + height + 64;
  const legend = [
    mark('square', [28, foot], { fill: colours.ink, radius: 5 }),
    text(40, foot + 4, 'fraction, 95 %', { size: 11 }),
    text(140, foot + 4, 'each run:', { size: 11 }),
    ...endingLegend(206, foot),
  ];
  return page(Math.max(left + width + 24, 740), foot + 22, title, `Groups by ${label}.`, [
    ...chart.frame,
    ...borders,
    ...body,
    ...legend,
  ]);
}
