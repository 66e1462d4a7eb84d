/** Values over steps, and how they are drawn. */
import type { Accuracy } from '../../../reward/accuracy';
import type { EvalReport, Evaluation } from '../../../run/record/evaluation';
import type { StepRecord } from '../../../run/record/events';
import { mainMetrics } from '../../../run/recording/recording-file';

export interface Curve {
  /** Ascending. */
  steps: readonly number[];
  /** Null is a gap. */
  values: readonly (number | null)[];
}

/** Runs that fail have figures that are not finite. Like missing ones they are gaps. */
const finiteOrGap = (value: number | null | undefined): number | null =>
  Number.isFinite(value) ? value! : null;

/** A figure of every evaluation. */
export function testCurve(
  evaluations: readonly Evaluation[],
  of: (report: EvalReport) => number | undefined,
): Curve {
  return {
    steps: evaluations.map(({ report }) => report.step),
    values: evaluations.map(({ report }) => finiteOrGap(of(report))),
  };
}

/** The curve without the steps after `step`. */
export function upTo({ steps, values }: Curve, step: number): Curve {
  const count = steps.filter((one) => one <= step).length;
  return { steps: steps.slice(0, count), values: values.slice(0, count) };
}

/** Index of the last value at `step` or before it, or of the last value of all; -1 without one. */
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

/** The last value at a step or before it; without a step the last of all. */
export function valueAt(curve: Curve, step: number | null): number | null {
  return curve.values[lastIndex(curve, step)] ?? null;
}

/** The last step with a value, at `step` or before it; null where there is none. */
export function lastStepOf(curve: Curve, step: number | null): number | null {
  return curve.steps[lastIndex(curve, step)] ?? null;
}

export type Range = readonly [low: number, high: number];

export function isWithin(curves: readonly Curve[], [low, high]: Range): boolean {
  return curves.every(({ values }) =>
    values.every((value) => value === null || (low <= value && value <= high)),
  );
}

/** Every step of any of the curves. Those of runs of the same length are compared and not merged: it is faster. */
export function stepsOf(curves: readonly Curve[]): readonly number[] {
  const [first = [], ...others] = new Set(curves.map(({ steps }) => steps));
  const isFirst = (steps: readonly number[]): boolean =>
    steps.length === first.length && steps.every((step, index) => step === first[index]);
  return others.every(isFirst) ? first : [...new Set([first, ...others].flat())].sort((a, b) => a - b);
}

/**
 * The exponential moving average of a noisy curve, with the bias of its start taken out (as Adam does with its moments):
 * m_t = w m_(t-1) + (1 - w) x_t, shown is m_t / (1 - w^t). Without the division the curve would start near 0.
 *
 * @param values - of every step; those that are not finite stay gaps
 * @param weight - 0 leaves the curve as it is; below 1
 */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  let mean = 0;
  let remaining = 1;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    mean = weight * mean + (1 - weight) * value;
    remaining *= weight;
    return mean / (1 - remaining);
  });
}

/** Of the mean that smooths the reward. */
const weight = 0.7;

/** Accuracy of a set of questions; undefined where the test has none of them. */
const measured = ({ count, accuracy }: Accuracy): number | undefined => (count === 0 ? undefined : accuracy);

export type Curves = ReturnType<typeof curvesOf>;

/** A run at a glance, live or recorded. */
export function curvesOf(records: readonly StepRecord[], evaluations: readonly Evaluation[]) {
  const line = (metric: string, smoothing: number): Curve => ({
    steps: records.map(({ step }) => step),
    values: smoothed(
      records.map((record) => finiteOrGap(record[metric])),
      smoothing,
    ),
  });
  return {
    /** Mean reward of a step, smoothed. */
    reward: line(mainMetrics.reward, weight),
    /** Mean tokens of thinking of a step. */
    thinking: line(mainMetrics.thinking, 0),
    /** Mean tokens of thinking in the test. */
    tested: testCurve(evaluations, ({ meanThinkLength }) => meanThinkLength),
    /** Accuracy in the test, on hard and on easy questions. */
    hard: testCurve(evaluations, ({ shortcutWrong }) => measured(shortcutWrong)),
    easy: testCurve(evaluations, ({ shortcutRight }) => measured(shortcutRight)),
    all: testCurve(evaluations, ({ overall }) => measured(overall)),
  };
}

/** A line of a chart or a plot. */
export interface ChartLine extends Curve {
  label: string;
  /** Words at its end. */
  end?: string;
  /** Custom property of style.css, so that light and dark have their own. */
  colour: string;
  /** Spread around a mean, drawn as a pale band. */
  band?: { low: readonly number[]; high: readonly number[] };
  /** Raw data behind a smoothed line, or a recording: drawn thin and pale, left out of the spoken values. */
  faint?: boolean;
  isThin?: boolean;
  /** Place in `dashes`; 0, unbroken, where left out. */
  dash?: number;
  /** `'only'` draws the points without the line. */
  points?: boolean | 'only';
  /** Another run is pointed at. */
  isDimmed?: boolean;
  /** Of the run that is pointed at: it comes and goes, and the letters of the others stay as they are. */
  isPassing?: boolean;
}

/** Lengths of dash and gap in pixels: lines stay apart by them where all have one colour. */
const dashes: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [2, 3],
  [9, 3, 2, 3],
  [16, 5],
  [6, 2, 2, 2, 2, 2],
];

/** Of a line that others are held against, and no run's own. */
export const referenceDash = 4;

export const dashOf = ({ dash = 0 }: Pick<ChartLine, 'dash'>): readonly number[] =>
  dashes[dash % dashes.length];

/** More lines than these would stand on each other with their letters. */
const mostLetters = 8;

/**
 * @returns for each line the letter that stands at its end and in the legend, so that neither colour nor dash has to be
 *   looked up; null for raw data behind a line, for a line that is passing, and where there is one line or too many
 */
export function lettersOf(lines: readonly ChartLine[]): (string | null)[] {
  const hasNone = ({ faint, isPassing }: ChartLine): boolean => faint === true || isPassing === true;
  const count = lines.filter((line) => !hasNone(line)).length;
  let next = 0;
  return lines.map((line) =>
    hasNone(line) || count < 2 || count > mostLetters ? null : String.fromCharCode(65 + next++),
  );
}

/** The values of lines at a step in words, raw data left out; empty where none has a value. */
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

/** The lines as rows of a table, one a step: all steps of a short run, some of a long one. A missing value is ''. */
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
