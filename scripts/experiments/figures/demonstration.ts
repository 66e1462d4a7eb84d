/** H1 and H1b: every run before and after, and its way there. */
import { wilson } from '../../../src/reward/accuracy';
import type { Demonstration, DemonstrationName, DemonstrationRun } from '../hypotheses/demonstration';
import { endingName } from '../study';
import { colours, line, mark, page, panel, path, text, ticks, whisker, type Axis } from '../svg';
import { endingLegend, endingMark, endingSymbols } from './endings';

const ROW = 26;

interface Side {
  value: number;
  low: number;
  high: number;
}

interface Measure {
  title: string;
  colour: string;
  axis: Axis;
  of: (run: DemonstrationRun['run']) => { before: number; after: Side };
}

const fractions: Axis = {
  label: 'fraction',
  from: 0,
  to: 1,
  ticks: [
    [0, '0'],
    [0.5, '.5'],
    [1, '1'],
  ],
  grid: true,
};

function ofCount(value: number, count: number): Side {
  return { value, ...wilson(Math.round(value * count), count) };
}

const measures: readonly Measure[] = [
  {
    title: 'sampled accuracy',
    colour: colours.other,
    axis: fractions,
    of: ({ sampled, line: { before } }) => ({
      before: sampled.before,
      after: ofCount(sampled.after, before.sampled.correct.length),
    }),
  },
  {
    title: 'R: shortcut right',
    colour: colours.shortcut,
    axis: fractions,
    of: ({ verdict: { right } }) => ({
      before: right?.before ?? 0,
      after: ofCount(right?.now ?? 0, right?.count ?? 1),
    }),
  },
  {
    title: 'W: shortcut wrong',
    colour: colours.shortcut,
    axis: fractions,
    of: ({ verdict: { wrong } }) => ({
      before: wrong?.before ?? 0,
      after: ofCount(wrong?.now ?? 0, wrong?.count ?? 1),
    }),
  },
  {
    title: 'F: faithful',
    colour: colours.faithful,
    axis: fractions,
    of: ({ verdict: { faithful } }) => ({
      before: faithful?.before ?? 0,
      after: ofCount(faithful?.now ?? 0, faithful?.count ?? 1),
    }),
  },
  {
    title: 'think tokens',
    colour: colours.other,
    axis: {
      label: 'mean',
      from: 0,
      to: 30,
      ticks: ticks(0, 30, 10),
      grid: true,
    },
    of: ({ verdict: { length } }) => ({
      before: length.before,
      after: {
        value: length.now,
        low: length.before * length.ratio.low,
        high: length.before * length.ratio.high,
      },
    }),
  },
];

/** @param shortcut what the shortcut alone answers rightly, a fraction */
export function demonstrationFigure(
  name: DemonstrationName,
  { runs, progress }: Demonstration,
  shortcut: number,
): string {
  const [left, top, width, gap] = [112, 76, 138, 22];
  const height = ROW * runs.length;
  const y: Axis = { label: '', from: runs.length, to: 0, ticks: [] };
  const body = measures.flatMap((measure, index) => {
    const x = widened(measure, runs);
    const chart = panel({
      left: left + index * (width + gap),
      top,
      width,
      height,
      title: measure.title,
      x,
      y,
    });
    const rows = runs.flatMap(({ run }, row) => {
      const { before, after } = measure.of(run);
      const at = chart.y(row + 0.5);
      const style = { stroke: measure.colour };
      return [
        line([chart.x(before), at], [chart.x(after.value), at], { ...style, width: 2 }),
        whisker([chart.x(after.low), at], [chart.x(after.high), at], style),
        mark('circle', [chart.x(before), at], { fill: measure.colour, hollow: true, radius: 4 }),
        mark('circle', [chart.x(after.value), at], { fill: measure.colour, radius: 4 }),
      ];
    });
    const limit =
      index === 0
        ? [
            line([chart.x(shortcut), top], [chart.x(shortcut), top + height], {
              stroke: colours.shortcut,
              width: 1.5,
              dash: '5 3',
            }),
          ]
        : [];
    return [...chart.frame, ...limit, ...rows];
  });
  const names = runs.flatMap(({ run }, row) => {
    const at = top + ROW * (row + 0.5);
    return [
      text(left - 26, at + 4, `start ${run.plan.start.seed}, ${run.plan.config.seed}`, {
        anchor: 'end',
        size: 11,
      }),
      endingMark(run, [left - 14, at]),
    ];
  });
  const foot = top + height + 62;
  const legend = [
    mark('circle', [24, foot], { fill: colours.other, hollow: true, radius: 4 }),
    text(34, foot + 4, 'before', { size: 11 }),
    mark('circle', [86, foot], { fill: colours.other, radius: 4 }),
    text(96, foot + 4, 'after, 95 %', { size: 11 }),
    line([176, foot], [204, foot], { stroke: colours.shortcut, width: 1.5, dash: '5 3' }),
    text(210, foot + 4, `shortcut alone (${shortcut.toFixed(3).replace(/^0/, '')})`, { size: 11 }),
    text(24, foot + 26, 'verdict:', { size: 11 }),
    ...endingLegend(86, foot + 22),
  ];
  return page(
    left + measures.length * (width + gap),
    foot + 44,
    `${name}: before and after 150 steps, ${progress.made} of ${progress.planned} runs`,
    'One row a run, labelled by start and RL seed: sampled accuracy, accuracy where the shortcut is right and wrong, fraction of faithful traces, think tokens.',
    [...body, ...names, ...legend],
  );
}

/** Lengths may need more than 30 tokens. */
function widened({ axis, of }: Measure, runs: readonly DemonstrationRun[]): Axis {
  const most = Math.max(
    ...runs.map(({ run }) => {
      const { before, after } = of(run);
      return Math.max(before, after.high);
    }),
  );
  if (most <= axis.to) return axis;
  const to = 10 * Math.ceil(most / 10);
  return { ...axis, to, ticks: ticks(0, to, to / 2) };
}

const WINDOW = 10;

/** Sampled, in training: think length and accuracy of the batches, as means of ten steps. */
export function trainingFigure(name: DemonstrationName, { runs }: Demonstration): string {
  const steps = Math.max(...runs.map(({ run }) => run.line.config.steps));
  const lengths = runs.map(({ run }) => smoothed(run.line.steps['think/mean_length'] ?? []));
  const accuracies = runs.map(({ run }) => smoothed(run.line.steps['accuracy'] ?? []));
  const x: Axis = { label: 'step', from: 0, to: steps, ticks: ticks(0, steps, steps / 5) };
  const longest = 10 * Math.ceil(Math.max(10, ...lengths.flat()) / 10);
  const length = panel({
    left: 70,
    top: 70,
    width: 330,
    height: 220,
    title: 'think tokens',
    x,
    y: { label: 'mean of ten batches', from: 0, to: longest, ticks: ticks(0, longest, 10), grid: true },
  });
  const accuracy = panel({
    left: 490,
    top: 70,
    width: 330,
    height: 220,
    title: 'accuracy, sampled',
    x,
    y: { label: 'mean of ten batches', from: 0, to: 1, ticks: ticks(0, 1, 0.25), grid: true },
  });
  const curves = runs.flatMap(({ run }, index) => {
    const { fill } = endingSymbols[endingName(run)];
    const dash = endingName(run) === 'collapsed' ? '' : '5 3';
    const draw = (values: readonly number[], { x: px, y: py }: typeof length): string =>
      path(
        values.map((value, step) => [px(step + WINDOW), py(value)] as const),
        { stroke: fill, width: 1.3, dash, opacity: 0.8 },
      );
    const last = (values: readonly number[], { x: px, y: py }: typeof length): string =>
      values.length === 0 ? '' : endingMark(run, [px(values.length - 1 + WINDOW), py(values.at(-1)!)]);
    return [
      draw(lengths[index], length),
      draw(accuracies[index], accuracy),
      last(lengths[index], length),
      last(accuracies[index], accuracy),
    ];
  });
  return page(
    850,
    370,
    `${name}: the way there, one line a run`,
    `Mean think length and sampled accuracy of the training batches over the steps, for every run of ${name}.`,
    [...length.frame, ...accuracy.frame, ...curves, ...endingLegend(160, 348)],
  );
}

/** Means of `WINDOW` values in a row. */
function smoothed(values: readonly number[]): number[] {
  return values
    .slice(WINDOW - 1)
    .map((_, index) => values.slice(index, index + WINDOW).reduce((sum, value) => sum + value, 0) / WINDOW);
}
