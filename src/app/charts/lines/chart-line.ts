/** One line of a chart: its looks, its values at a step in words, and the lines of a chart as a table. */
import { stepsOf, type Curve } from './curve';

export interface ChartLine extends Curve {
  label: string;
  /** Label at the line's end. */
  end?: string;
  /** Name of a CSS custom property, which differs between light and dark schemes. */
  colour: string;
  /** Spread around the mean, drawn as a pale band. */
  band?: { low: Curve['values']; high: Curve['values'] };
  /** Raw data behind a smoothed line, or a recording. Drawn thin and pale, and omitted from spoken values. */
  faint?: boolean;
  /** Index into `dashes`. Defaults to 0, a solid line. */
  dash?: number;
  /** `'only'` draws the points without the line. */
  points?: boolean | 'only';
}

/** Dash patterns: lengths of dash and gap in pixels. They distinguish lines of the same colour. */
const dashes: readonly number[][] = [[], [9, 4], [2, 3], [9, 3, 2, 3], [16, 5], [6, 2, 2, 2, 2, 2]];

export const dashOf = (dash = 0): number[] => dashes[dash % dashes.length];

const isNamed = ({ faint }: ChartLine): boolean => faint !== true;

/** Index of the last value at or before `step`, or of the last value if `step` is null. -1 without a value. */
function lastIndex({ steps, values }: Curve, step: number | null): number {
  let index = steps.findLastIndex((own) => step === null || own <= step);
  while (index >= 0 && values[index] == null) index--;
  return index;
}

/** The last value at or before `step`, or the last value if `step` is null. */
export function valueAt(curve: Curve, step: number | null): number | null {
  return curve.values[lastIndex(curve, step)] ?? null;
}

/** The last step at or before `step` at which a line has a value, except faint lines; 0 before. */
export function lastStepOf(lines: readonly ChartLine[], step: number | null): number {
  return Math.max(0, ...lines.filter(isNamed).map((line) => line.steps[lastIndex(line, step)] ?? 0));
}

/** Words for the values of all lines at a step, except faint lines. Empty without a value. */
export function toldAt(
  lines: readonly ChartLine[],
  step: number | null,
  format: (value: number) => string,
): string {
  const told = lines.filter(isNamed).flatMap((line) => {
    const value = valueAt(line, step);
    return value === null ? [] : [`${line.label} ${format(value)}`];
  });
  return told.join(', ');
}

const tableRows = 24;

/**
 * Table rows of the lines, one per step. Long runs are sampled evenly, with all rows of lines of few values, such as tests.
 * A missing value is ''.
 */
export function tableOf(lines: readonly ChartLine[], format: (value: number) => string): string[][] {
  const all = stepsOf(lines);
  const every = Math.ceil(all.length / tableRows);
  const few = new Set(lines.flatMap(({ steps }) => (steps.length > tableRows ? [] : steps)));
  const steps = all.filter((step, row) => row % every === 0 || row === all.length - 1 || few.has(step));
  const cells = lines.map((line) => {
    const values = steps.map((step) => line.values[line.steps.indexOf(step)]);
    return values.map((value) => (value == null ? '' : format(value)));
  });
  return steps.map((step, row) => [String(step), ...cells.map((column) => column[row])]);
}
