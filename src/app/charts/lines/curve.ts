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

/** A figure of every evaluation. */
export function testCurve(
  evaluations: readonly Evaluation[],
  of: (report: EvalReport) => number | undefined,
): Curve {
  return {
    steps: evaluations.map(({ report }) => report.step),
    values: evaluations.map(({ report }) => of(report) ?? null),
  };
}

/** A curve as far as a step. */
export function upTo({ steps, values }: Curve, step: number): Curve {
  const count = steps.filter((one) => one <= step).length;
  return { steps: steps.slice(0, count), values: values.slice(0, count) };
}

/** The part of the plane that a plot shows. */
export interface Sight {
  from: number;
  to: number;
  low: number;
  high: number;
}

/** Of every drawing, which is stretched to its place: so large that whole numbers are exact enough. */
export const width = 4800;
export const height = 1500;
/** A curve is drawn through about as many points at most. */
const mostPoints = 480;

/** Places in the drawing of a step and of a value, which stays in it. */
export const across = (step: number, { from, to }: Sight): number =>
  Math.round(((step - from) / (to - from)) * width);
export const down = (value: number, { low, high }: Sight): number =>
  Math.round(height - (Math.min(1, Math.max(0, (value - low) / (high - low))) || 0) * height);

/** The last value at a step or before it; without a step the last of all. */
export function valueAt({ steps, values }: Curve, step: number | null): number | null {
  return values.findLast((value, index) => value !== null && (step === null || steps[index] <= step)) ?? null;
}

/** The last step with a value, at `step` or before it; null where there is none. */
export function lastStepOf({ steps, values }: Curve, step: number): number | null {
  return steps.findLast((one, index) => one <= step && values[index] !== null) ?? null;
}

/** The least and the greatest of all values of the curves; Infinity and -Infinity where there are none. */
export function extentOf(curves: readonly Curve[]): [least: number, most: number] {
  let [least, most] = [Infinity, -Infinity];
  for (const { values } of curves) {
    for (const value of values) {
      if (value === null) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  return [least, most];
}

export type Range = readonly [low: number, high: number];

export function isWithin(curves: readonly Curve[], [low, high]: Range): boolean {
  const [least, most] = extentOf(curves);
  return low <= least && most <= high;
}

/** Every step of any of the curves. */
export function stepsOf(curves: readonly Curve[]): number[] {
  return [...new Set(curves.flatMap(({ steps }) => steps))].sort((a, b) => a - b);
}

/** What is in sight of a curve, and on either side the next point beyond, to which its line leads. */
export function seenPart(curve: Curve, { from, to }: Pick<Sight, 'from' | 'to'>): Curve {
  const { steps, values } = curve;
  if (steps.length === 0 || (from <= steps[0] && steps.at(-1)! <= to)) return curve;
  const first = steps.findLastIndex((step) => step <= from);
  const last = steps.findIndex((step) => step >= to);
  const part = [Math.max(0, first), last === -1 ? undefined : last + 1] as const;
  return { steps: steps.slice(...part), values: values.slice(...part) };
}

/** Of each stretch the least and the greatest, and the last of all. */
export function thinned(curve: Curve): Curve {
  const { steps, values } = curve;
  const stretch = Math.ceil((2 * values.length) / mostPoints);
  if (stretch <= 4) return curve;
  const kept = new Set<number>();
  for (let start = 0; start < values.length; start += stretch) {
    let [least, most] = [start, start];
    for (let index = start; index < Math.min(start + stretch, values.length); index++) {
      const value = values[index];
      if (value === null) continue;
      if (value < (values[least] ?? Infinity)) least = index;
      if (value > (values[most] ?? -Infinity)) most = index;
    }
    kept.add(Math.min(least, most)).add(Math.max(least, most));
  }
  kept.add(values.length - 1);
  const places = [...kept];
  return { steps: places.map((index) => steps[index]), values: places.map((index) => values[index]) };
}

/** A point that stands alone is a dot. */
export function pathOf(curve: Curve, sight: Sight): string {
  const { steps, values } = thinned(seenPart(curve, sight));
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const isFirst = index === 0 || values[index - 1] === null;
    path += `${isFirst ? 'M' : 'L'}${placeOf(steps[index], value, sight)}${isFirst ? 'h1' : ''}`;
  });
  return path;
}

/** A dot at each point. */
export function dotsOf(curve: Curve, sight: Sight): string {
  const { steps, values } = seenPart(curve, sight);
  return values
    .map((value, index) => (value === null ? '' : `M${placeOf(steps[index], value, sight)}h1`))
    .join('');
}

/** The area between two curves over the same steps. */
export function areaBetween(low: Curve, high: Curve, sight: Sight): string {
  const [below, above] = [low, high].map((edge) => pathOf(edge, sight));
  return above === '' ? '' : `${above}L${below.slice(1).split('L').toReversed().join('L')}Z`;
}

function placeOf(step: number, value: number, sight: Sight): string {
  return `${across(step, sight)} ${down(value, sight)}`;
}

/**
 * The exponential moving average of a noisy curve, with the bias of its start taken out (as Adam does with its moments):
 * m_t = w m_(t-1) + (1 - w) x_t, shown is m_t / (1 - w^t). Without the division the curve would start near 0.
 *
 * @param values - of every step: it runs before any thinning for the screen. Those that are not finite stay gaps.
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
      records.map((record) => record[metric] ?? null),
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
  /** Name of a custom property of style.css, so that light and dark have their own. */
  colour: string;
  /** How far what the line is the mean of lies apart: drawn as a pale band. */
  band?: { low: readonly number[]; high: readonly number[] };
  /** Raw data behind a smoothed line: drawn thin and pale, left out of the spoken values. */
  faint?: boolean;
  /** Place in `dashes`; 0, unbroken, where left out. */
  dash?: number;
  points?: boolean;
  /** For the style sheet: how it stands beside the others. */
  look?: string;
  /** Of the run that is pointed at: it comes and goes, and the letters of the others stay as they are. */
  isPassing?: boolean;
}

/** Lengths of dash and gap in pixels: lines stay apart by them where all have one colour. */
export const dashes: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [2, 3],
  [9, 3, 2, 3],
  [16, 5],
  [6, 2, 2, 2, 2, 2],
];

/** Of a line that others are held against, and no run's own. */
export const referenceDash = 4;

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

export function dashOf({ dash = 0 }: ChartLine): readonly number[] {
  return dashes[dash % dashes.length];
}
