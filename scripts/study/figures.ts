/** The figures of docs/results.md. */
import { meanInterval } from './rules';
import { fractionOf, ofSize, type JudgedRun, type Measurement, type Size } from './lines';
import {
  band,
  colours,
  line,
  mark,
  page,
  panel,
  path,
  text,
  ticks,
  unitTicks,
  type Axis,
  type Panel,
} from './svg';

export const sizes: readonly Size[] = ['12k', '25k', '100k', '398k'];
const colourOf: Record<Size, string> = {
  '12k': colours.small,
  '25k': colours.middle,
  '100k': colours.other,
  '398k': colours.large,
};
const STEPS = 150;
const steps: Axis = { label: 'training step', from: 0, to: STEPS, ticks: ticks(0, STEPS, 50) };
/** Line height of a label, in pixels. */
const LABEL_HEIGHT = 13;

type Point = readonly [step: number, value: number, low: number, high: number];

/** Three sizes over the steps: length, hard questions, reward; the mean over starts with its 95 % interval. */
export function ladderFigure(runs: readonly JudgedRun[]): string {
  const shown = sizes.filter((size) => size !== '100k');
  const panels: { title: string; y: Axis; of: (run: JudgedRun) => [step: number, value: number][] }[] = [
    {
      title: 'Words of thinking, while practising',
      y: { label: 'tokens', from: 0, to: 24, ticks: ticks(0, 24, 6) },
      of: ({ line: { steps } }) => everyFifth(steps['think/mean_length']),
    },
    {
      title: 'Right answers to hard questions',
      y: { label: 'W, greedy', from: 0, to: 1, ticks: unitTicks },
      of: ({ line: { looks }, hard: [before, after] }) => [
        [0, before],
        ...looks.map(({ step, hard }): [number, number] => [step, hard.correct / hard.count]),
        [STEPS, after],
      ],
    },
    {
      title: 'Reward, while practising',
      y: { label: 'mean', from: -1, to: 3, ticks: ticks(-1, 3, 1) },
      of: ({ line: { steps } }) => everyFifth(steps.reward),
    },
  ];
  const body = panels.flatMap(({ title, y, of }, index) => {
    const place = panel({ left: 62 + index * 300, width: 220, title, x: steps, y });
    const pointsOf = shown.map((size) => overStarts(ofSize(runs, size).map(of)));
    const labels = spread(pointsOf.map((points) => place.y(points[points.length - 1][1])));
    const curves = shown.flatMap((size, row) => {
      const points = pointsOf[row];
      const at = (pick: (point: Point) => number): (readonly [number, number])[] =>
        points.map((point) => [place.x(point[0]), place.y(pick(point))]);
      return [
        band(
          at(([, , low]) => low),
          at(([, , , high]) => high),
          colourOf[size],
        ),
        path(
          at(([, value]) => value),
          colourOf[size],
        ),
        text(place.x(STEPS) + 5, labels[row] + 4, size, { fill: colourOf[size], size: 11 }),
      ];
    });
    return [...place.frame, ...curves];
  });
  const counts = shown.map((size) => `${size}: ${ofSize(runs, size).length} starts`).join(', ');
  return page(
    'The same data, the same reward, three sizes',
    `Think length, accuracy on hard questions and reward over 150 steps, mean and 95 % interval over starts. ${counts}.`,
    body,
  );
}

/** Heights of labels, moved down until none covers another. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((_, row) => row).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  for (const [above, below] of order.slice(1).map((row, i) => [order[i], row])) {
    placed[below] = Math.max(placed[below], placed[above] + LABEL_HEIGHT);
  }
  return placed;
}

/** Before and after, one mark a start: length by size, and accuracy on hard questions by size. */
export function beforeAfterFigure(runs: readonly JudgedRun[]): string {
  const measures: { title: string; y: Axis; of: (run: JudgedRun) => readonly [number, number] }[] = [
    {
      title: 'Words of thinking in the test',
      y: { label: 'tokens', from: 0, to: 24, ticks: ticks(0, 24, 6) },
      of: ({ verdict: { length } }) => [length.before, length.now],
    },
    {
      title: 'Right answers to hard questions',
      y: { label: 'W', from: 0, to: 1, ticks: unitTicks },
      of: ({ hard }) => hard,
    },
  ];
  const x: Axis = {
    label: 'size',
    from: 0,
    to: sizes.length,
    ticks: sizes.map((size, index) => [index + 0.5, size] as const),
  };
  const body = measures.flatMap(({ title, y, of }, index) => {
    const place = panel({ left: 62 + index * 440, width: 340, title, x, y });
    const marks = sizes.flatMap((size, column) =>
      ofSize(runs, size).flatMap((run, row, all) => {
        const shift = column + 0.2 + (0.6 * (row + 0.5)) / all.length;
        const [before, after] = of(run);
        const [from, to] = [before, after].map((value) => [place.x(shift), place.y(value)] as const);
        return [
          line(from, to, colours.faint),
          mark(from, colourOf[size], true),
          mark(to, colourOf[size], false),
        ];
      }),
    );
    return [...place.frame, ...marks];
  });
  return page(
    'Before (hollow) and after (filled), one pair a start',
    'Think length and accuracy on hard questions before and after training, by size.',
    body,
  );
}

/** Accuracy in and out of distribution over the steps, one panel a size. */
export function worldsFigure(runs: readonly JudgedRun[]): string {
  const body = panelOfEach(steps, 'accuracy', (size, place) =>
    (['benchmark', 'world'] as const).map((name, index) => {
      const points = overStarts(
        ofSize(runs, size).map(({ line: { looks } }) =>
          looks.map((look): [number, number] => [look.step, look[name].correct / look[name].count]),
        ),
      );
      return path(
        points.map(([step, value]) => [place.x(step), place.y(value)]),
        colourOf[size],
        index === 0 ? undefined : '5 4',
      );
    }),
  );
  return page(
    'In (line) and out of (dashes) distribution',
    'Greedy accuracy on the benchmark and on the world at large over the steps, mean over starts, by size.',
    body,
  );
}

/** Accuracy by order before and after, mean over starts with its 95 % interval, one panel a size. */
export function ordersFigure(runs: readonly JudgedRun[]): string {
  const orders = [0, 1, 2, 3, 4];
  const x: Axis = { label: 'order', from: -0.5, to: 4.5, ticks: orders.map((order) => [order, `${order}`]) };
  const body = panelOfEach(x, 'accuracy, greedy', (size, place) => {
    const edge = (height: number) => [0.5, 3.5].map((order) => [place.x(order), place.y(height)] as const);
    const marks = (['before', 'after'] as const).flatMap((when, shift) =>
      overStarts(
        ofSize(runs, size).map(({ line }) => orders.map((order) => [order, accuracyAt(line[when], order)])),
      ).flatMap(([order, value, low, high]) => {
        const at = (height: number) => [place.x(order + 0.3 * shift - 0.15), place.y(height)] as const;
        return [line(at(low), at(high), colourOf[size]), mark(at(value), colourOf[size], when === 'before')];
      }),
    );
    return [band(edge(0), edge(1), colours.other), ...marks];
  });
  return page(
    'By order, before (hollow) and after (filled); grey: the orders trained on',
    'Greedy accuracy by order of belief before and after training, mean and 95 % interval over starts, by size.',
    body,
  );
}

/** Panels of all sizes side by side, fractions from 0 to 1 upwards. */
function panelOfEach(x: Axis, label: string, draw: (size: Size, place: Panel) => string[]): string[] {
  return sizes.flatMap((size, index) => {
    const y: Axis = { label: index === 0 ? label : '', from: 0, to: 1, ticks: unitTicks };
    const place = panel({ left: 62 + index * 222, width: 170, title: size, x, y });
    return [...place.frame, ...draw(size, place)];
  });
}

/** Accuracy on the benchmark; orders that it lacks have separate items. */
function accuracyAt(measured: Measurement, order: number): number {
  if (order === 0 || order === 4)
    return measured[`order ${order}`].correct / measured[`order ${order}`].count;
  const { benchmark } = measured;
  const correct = benchmark.thinkTokens.flatMap((_, item) =>
    benchmark.order[item] === `${order}` ? benchmark.correct[item] : [],
  );
  return fractionOf(correct.join(''), '1');
}

function everyFifth(values: readonly number[]): [step: number, value: number][] {
  return values.flatMap((value, index): [number, number][] =>
    index === 0 || (index + 1) % 5 === 0 ? [[index + 1, value]] : [],
  );
}

function overStarts(curves: readonly (readonly [step: number, value: number])[][]): Point[] {
  return curves[0].map(([step], index) => {
    const values = curves.map((curve) => curve[index][1]);
    return [step, ...meanInterval(values, 2000)];
  });
}
