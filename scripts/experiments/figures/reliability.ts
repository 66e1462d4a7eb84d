/** The forecast: how often what was forecast came, bin by bin. */
import type { BinWithInterval } from '../hypotheses/forecast';
import { colours, line, mark, page, panel, text, unitTicks, whisker } from '../svg';

export function reliabilityFigure(bins: readonly BinWithInterval[]): string {
  const [left, top, side] = [76, 56, 300];
  const chart = panel({
    left,
    top,
    width: side,
    height: side,
    x: {
      label: 'forecast probability of losing the reasoning',
      from: 0,
      to: 1,
      ticks: unitTicks,
      grid: true,
    },
    y: { label: 'fraction that lost it', from: 0, to: 1, ticks: unitTicks, grid: true },
  });
  const filled = bins.filter(({ count }) => count > 0);
  const points = filled.flatMap(({ forecast, observed, interval, count }) => {
    const at = [chart.x(forecast), chart.y(observed)] as const;
    return [
      whisker([at[0], chart.y(interval.low)], [at[0], chart.y(interval.high)], { stroke: colours.ink }),
      mark('square', at, { fill: colours.ink, radius: 5 }),
      text(at[0] + 9, at[1] + (observed > 0.95 ? 15 : -7), `n ${count}`, { size: 11 }),
    ];
  });
  const diagonal = line([chart.x(0), chart.y(0)], [chart.x(1), chart.y(1)], {
    stroke: colours.other,
    dash: '5 3',
  });
  const foot = top + side + 62;
  const legend = [
    mark('square', [28, foot], { fill: colours.ink, radius: 5 }),
    text(40, foot + 4, 'bin, 95 % over starts', { size: 11 }),
    line([190, foot], [218, foot], { stroke: colours.other, dash: '5 3' }),
    text(224, foot + 4, 'perfectly calibrated', { size: 11 }),
  ];
  return page(
    420,
    foot + 22,
    'The forecast against what came',
    'Reliability diagram: observed fraction that lost its reasoning in five bins of the forecast probability.',
    [...chart.frame, diagonal, ...points, ...legend],
  );
}
