/** H3: what each start was paid for reasoning, and what became of it. */
import { forecastOf } from '../hypotheses/forecast';
import { rewardGap } from '../hypotheses/mediation';
import { sizes } from '../hypotheses/size';
import type { JudgedRun } from '../study';
import { colours, line, mark, page, panel, path, text, ticks } from '../svg';

const shapes = { '25k': 'circle', '100k': 'square', '398k': 'diamond' } as const;

export function gapFigure(runs: readonly JudgedRun[]): string {
  const gaps = runs.map(rewardGap);
  const from = Math.floor(Math.min(-1, ...gaps));
  const to = Math.ceil(Math.max(2, ...gaps));
  const [left, top, width, height] = [84, 56, 520, 230];
  const chart = panel({
    left,
    top,
    width,
    height,
    x: {
      label: 'd: sampled reward of a full trace minus that of an empty one',
      from,
      to,
      ticks: ticks(from, to, 0.5),
    },
    y: {
      label: 'loses its reasoning',
      from: -0.2,
      to: 1.2,
      ticks: [
        [0, 'no'],
        [0.5, '.5'],
        [1, 'yes'],
      ],
      grid: true,
    },
  });
  const curve = Array.from({ length: 101 }, (_, index) => {
    const gap = from + ((to - from) * index) / 100;
    return [chart.x(gap), chart.y(forecastOf(gap))] as const;
  });
  const seen = new Map<string, number>();
  const points = runs.map((run) => {
    const { size } = run.plan.start;
    // Runs of one start have the same d: they stand one above the other.
    const key = `${run.plan.start.id} ${run.loses}`;
    const stacked = seen.get(key) ?? 0;
    seen.set(key, stacked + 1);
    const place = [chart.x(rewardGap(run)), chart.y(Number(run.loses)) - 12 * stacked] as const;
    return mark(shapes[size], place, {
      fill: run.loses ? colours.lost : colours.faithful,
      hollow: !run.loses,
    });
  });
  const foot = top + height + 64;
  const legend = [
    ...sizes.flatMap((size, index) => [
      mark(shapes[size], [28 + 70 * index, foot], { fill: colours.other }),
      text(38 + 70 * index, foot + 4, size, { size: 11 }),
    ]),
    mark('circle', [246, foot], { fill: colours.lost }),
    text(256, foot + 4, 'lost', { size: 11 }),
    mark('circle', [300, foot], { fill: colours.faithful, hollow: true }),
    text(310, foot + 4, 'not lost', { size: 11 }),
    line([376, foot], [406, foot], { stroke: colours.other, width: 1.5, dash: '6 4' }),
    text(412, foot + 4, 'the forecast, frozen before the runs', { size: 11 }),
  ];
  return page(
    640,
    foot + 22,
    'H3: d and the ending, one symbol a run',
    'Whether each run of the three sizes lost its reasoning, against the reward gap d of its start.',
    [...chart.frame, path(curve, { stroke: colours.other, width: 1.5, dash: '6 4' }), ...points, ...legend],
  );
}
