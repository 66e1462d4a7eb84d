/** Curves of values over steps, and the properties of their lines. */
import type { EvalReport, Evaluation } from '../../../run/record/evaluation';
import type { StepRecord } from '../../../run/record/events';
import { measuredAccuracy, measuredFigure } from '../../../run/verdict/measured';
import { mainMetrics } from '../../../run/recording/recording-file';

export interface Curve {
  /** Ascending. */
  steps: readonly number[];
  /** Null is a gap. */
  values: readonly (number | null)[];
}

/** Converts missing and non-finite values to gaps. Failed runs have non-finite values. */
export const finiteOrGap = (value: number | null | undefined): number | null =>
  Number.isFinite(value) ? value! : null;

export function metricIn(records: readonly StepRecord[], name: string): (number | null)[] {
  return records.map((record) => finiteOrGap(record[name]));
}

const knownSteps = new WeakMap<readonly StepRecord[], readonly number[]>();

/** Steps of the records. Lines of the same records share one list, since a run may have 200,000 steps. */
export function stepsIn(records: readonly StepRecord[]): readonly number[] {
  const steps = knownSteps.get(records) ?? records.map(({ step }) => step);
  knownSteps.set(records, steps);
  return steps;
}

export function testCurve(
  evaluations: readonly Evaluation[],
  of: (report: EvalReport) => number | null,
): Curve {
  return {
    steps: evaluations.map(({ report }) => report.step),
    values: evaluations.map(({ report }) => finiteOrGap(of(report))),
  };
}

/** Index of the last value at or before `step`, or of the last value if `step` is null. -1 without a value. */
function lastIndex({ steps, values }: Curve, step: number | null): number {
  let [low, high] = [0, steps.length];
  while (step !== null && low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= step) low = middle + 1;
    else high = middle;
  }
  let index = high - 1;
  while (index >= 0 && values[index] == null) index--;
  return index;
}

/** The last value at or before `step`, or the last value if `step` is null. */
export function valueAt(curve: Curve, step: number | null): number | null {
  return curve.values[lastIndex(curve, step)] ?? null;
}

/** The last step with a value, at or before `step`; null if there is none. */
export function lastStepOf(curve: Curve, step: number | null): number | null {
  return curve.steps[lastIndex(curve, step)] ?? null;
}

export type Range = readonly [low: number, high: number];

export function isWithin(curves: readonly Curve[], [low, high]: Range): boolean {
  return curves.every(({ values }) =>
    values.every((value) => value === null || (low <= value && value <= high)),
  );
}

/** Union of the steps of all curves. Equal step lists are returned without a merge, which is slower. */
export function stepsOf(curves: readonly Curve[]): readonly number[] {
  const [first = [], ...others] = new Set(curves.map(({ steps }) => steps));
  const isFirst = (steps: readonly number[]): boolean =>
    steps.length === first.length && steps.every((step, index) => step === first[index]);
  return others.every(isFirst) ? first : [...new Set([first, ...others].flat())].sort((a, b) => a - b);
}

/**
 * Exponential moving average over steps with bias correction, as in Adam: m_t = w m_(t-1) + (1 - w) x_t, returned as
 * m_t / (1 - w^t). Without the correction the curve would start near 0. A value d steps after the curve's step before it
 * has the weight 1 - w^d, so the average of a thinned curve spans as many steps as that of the whole one.
 *
 * @param values - non-finite values become gaps
 * @param weight - w, at least 0 and below 1; 0 returns the values unchanged
 */
export function smoothed({ steps, values }: Curve, weight: number): (number | null)[] {
  let [mean, remaining] = [0, 1];
  let before = (steps[0] ?? 0) - 1;
  return values.map((value, index) => {
    const kept = weight ** (steps[index] - before);
    before = steps[index];
    if (value === null || !Number.isFinite(value)) return null;
    mean = kept * mean + (1 - kept) * value;
    remaining *= kept;
    return mean / (1 - remaining);
  });
}

/** Curve of a step metric, smoothed with this weight. */
export function smoothedMetric(records: readonly StepRecord[], name: string, weight: number): Curve {
  const steps = stepsIn(records);
  return { steps, values: smoothed({ steps, values: metricIn(records, name) }, weight) };
}

/** Smoothing weight of the reward. */
const weight = 0.7;

/** Figures of a test. Null if it asks no such questions. */
export const testFigures = {
  /** Mean tokens of thinking. */
  tested: (report: EvalReport) => measuredFigure(report, 'meanThinkLength'),
  /** Accuracy on hard questions, on easy ones and on all, and that of the shortcut alone. */
  hard: ({ shortcutWrong }: EvalReport) => measuredAccuracy(shortcutWrong),
  easy: ({ shortcutRight }: EvalReport) => measuredAccuracy(shortcutRight),
  all: ({ overall }: EvalReport) => measuredAccuracy(overall),
  shortcut: (report: EvalReport) => measuredFigure(report, 'shortcutLine'),
};

export type Curves = ReturnType<typeof curvesOf>;

/** Main curves of a run, live or recorded. */
export function curvesOf(records: readonly StepRecord[], evaluations: readonly Evaluation[]) {
  const line = (metric: string, smoothing: number): Curve => smoothedMetric(records, metric, smoothing);
  return {
    reward: line(mainMetrics.reward, weight),
    thinking: line(mainMetrics.thinking, 0),
    tested: testCurve(evaluations, testFigures.tested),
    hard: testCurve(evaluations, testFigures.hard),
    easy: testCurve(evaluations, testFigures.easy),
  };
}

export interface ChartLine extends Curve {
  label: string;
  /** Label at the line's end. */
  end?: string;
  /** Name of a CSS custom property, which differs between light and dark schemes. */
  colour: string;
  /** Spread around the mean, drawn as a pale band. */
  band?: { low: readonly number[]; high: readonly number[] };
  /** Raw data behind a smoothed line, or a recording. Drawn thin and pale, and omitted from spoken values. */
  faint?: boolean;
  isThin?: boolean;
  /** Index into `dashes`. Defaults to 0, a solid line. */
  dash?: number;
  /** `'only'` draws the points without the line. */
  points?: boolean | 'only';
  /** True while the visitor points at another run. */
  isDimmed?: boolean;
  /** True for the temporary line of the run pointed at. It has no letter, so the other letters do not change. */
  isPassing?: boolean;
}

/** Dash patterns: lengths of dash and gap in pixels. They distinguish lines of the same colour. */
const dashes: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [2, 3],
  [9, 3, 2, 3],
  [16, 5],
  [6, 2, 2, 2, 2, 2],
];

/** Dash pattern of reference lines, which belong to no run. */
export const referenceDash = 4;

export const dashOf = ({ dash = 0 }: Pick<ChartLine, 'dash'>): readonly number[] =>
  dashes[dash % dashes.length];

/** With more lines the letters would overlap. */
const mostLetters = 8;

/**
 * Assigns letters, which identify lines at their ends and in the legend without colour or dash.
 *
 * @returns a letter per line; null for faint and passing lines, and for a single line or more than `mostLetters`
 */
export function lettersOf(lines: readonly ChartLine[]): (string | null)[] {
  const hasNone = ({ faint, isPassing }: ChartLine): boolean => faint === true || isPassing === true;
  const count = lines.filter((line) => !hasNone(line)).length;
  let next = 0;
  return lines.map((line) =>
    hasNone(line) || count < 2 || count > mostLetters ? null : String.fromCharCode(65 + next++),
  );
}

/** Words for the values of all lines at a step, except faint lines. Empty without a value. */
export function toldAt(
  lines: readonly ChartLine[],
  step: number | null,
  format: (value: number) => string,
): string {
  return lines
    .flatMap((line) => {
      const value = line.faint === true ? null : valueAt(line, step);
      return value === null ? [] : [`${line.label} ${format(value)}`];
    })
    .join(', ');
}

const tableRows = 24;

/** Table rows of the lines, one per step. Long runs are sampled evenly. A missing value is ''. */
export function tableOf(lines: readonly ChartLine[], format: (value: number) => string): string[][] {
  const steps = stepsOf(lines);
  const every = Math.max(1, Math.ceil(steps.length / tableRows));
  const shown = steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
  return shown.map((step) => [
    String(step),
    ...lines.map((line) => {
      const value = lastStepOf(line, step) === step ? valueAt(line, step) : null;
      return value === null ? '' : format(value);
    }),
  ]);
}
