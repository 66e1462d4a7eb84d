/** H6: accuracy by order, and on both worlds over the steps. */
import type { Interval } from '../bootstrap';
import type { Training, Transfer } from '../hypotheses/transfer';
import {
  colours,
  line,
  mark,
  page,
  panel,
  path,
  text,
  ticks,
  unitTicks,
  whisker,
  type Axis,
  type Panel,
} from '../svg';

const [LEFT, TOP, WIDTH, HEIGHT, GAP] = [76, 78, 200, 210, 34];

const accuracy = (first: boolean): Axis => ({
  label: first ? 'greedy accuracy' : '',
  from: 0,
  to: 1,
  ticks: first ? unitTicks : unitTicks.map(([value]) => [value, ''] as const),
  grid: true,
});

export function ordersFigure({ trainings }: Transfer): string {
  const shown = trainings.filter(({ orders }) => orders.length > 0);
  const body = shown.flatMap(({ name, orders }, index) => {
    const chart = place(index, `trained on ${name}`, accuracy(index === 0), {
      label: 'order asked',
      from: 0.5,
      to: 4.5,
      ticks: orders.map(({ order }) => [order, String(order)]),
    });
    const before = orders.map((figure) => [figure.order - 0.08, figure.before] as const);
    const after = orders.map((figure) => [figure.order + 0.08, figure.after] as const);
    return [
      ...chart.frame,
      ...curve(chart, before, { stroke: colours.other, dash: '5 3', hollow: true, shape: 'circle' }),
      ...curve(chart, after, { stroke: colours.shortcut, dash: '', hollow: false, shape: 'square' }),
    ];
  });
  return assembled('H6: accuracy by order, before and after', shown.length, body, [
    ['circle', colours.other, true, 'before'],
    ['square', colours.shortcut, false, 'after 150 steps; 95 %; order 4 is never trained on'],
  ]);
}

export function looksFigure({ trainings }: Transfer): string {
  const shown = trainings.filter(({ looks }) => looks.length > 0);
  const body = shown.flatMap(({ name, looks }, index) => {
    const last = looks.at(-1)!.step;
    const chart = place(index, `trained on ${name}`, accuracy(index === 0), {
      label: 'step',
      from: 0,
      to: last,
      ticks: ticks(0, last, last / 3),
    });
    const benchmark = looks.map((look) => [look.step, look.benchmark] as const);
    const other = looks.map((look) => [look.step, look.otherWorld] as const);
    return [
      ...chart.frame,
      ...curve(chart, other, { stroke: colours.faithful, dash: '5 3', hollow: true, shape: 'circle' }),
      ...curve(chart, benchmark, { stroke: colours.shortcut, dash: '', hollow: false, shape: 'square' }),
    ];
  });
  return assembled('H6: in and out of distribution', shown.length, body, [
    ['square', colours.shortcut, false, 'benchmark (shortcut right on .90)'],
    ['circle', colours.faithful, true, 'world at large (.56); 95 %'],
  ]);
}

function place(index: number, title: string, y: Axis, x: Axis): Panel {
  return panel({ left: LEFT + index * (WIDTH + GAP), top: TOP, width: WIDTH, height: HEIGHT, title, x, y });
}

function curve(
  chart: Panel,
  points: readonly (readonly [number, Interval])[],
  {
    stroke,
    dash,
    hollow,
    shape,
  }: { stroke: string; dash: string; hollow: boolean; shape: 'circle' | 'square' },
): string[] {
  const at = points.map(([x, { value }]) => [chart.x(x), chart.y(value)] as const);
  return [
    path(at, { stroke, dash }),
    ...points.map(([x, { low, high }]) =>
      whisker([chart.x(x), chart.y(low)], [chart.x(x), chart.y(high)], { stroke, width: 1.2 }),
    ),
    ...at.map((point) => mark(shape, point, { fill: stroke, hollow, radius: 4 })),
  ];
}

function assembled(
  title: string,
  panels: number,
  body: readonly string[],
  names: readonly (readonly ['circle' | 'square', string, boolean, string])[],
): string {
  const foot = TOP + HEIGHT + 62;
  let x = LEFT;
  const legend = names.flatMap(([shape, fill, hollow, name]) => {
    const drawn = [
      line([x - 14, foot], [x + 14, foot], { stroke: fill, width: 1.5, dash: hollow ? '5 3' : '' }),
      mark(shape, [x, foot], { fill, hollow, radius: 4 }),
      text(x + 20, foot + 4, name, { size: 11 }),
    ];
    x += 50 + 6.2 * name.length;
    return drawn;
  });
  const width = Math.max(LEFT + panels * (WIDTH + GAP), 520);
  return page(width, foot + 22, title, names.map(([, , , name]) => name).join('; '), [...body, ...legend]);
}

/** Whether there is anything to draw. */
export function hasTransferRuns(trainings: readonly Training[]): boolean {
  return trainings.some(({ runs }) => runs.length > 0);
}
