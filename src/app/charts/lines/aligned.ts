/** The lines of one chart over shared steps: their values at a step, in words and as a table. */
import type { Curve } from './curve';

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
  isThin?: boolean;
  /** Index into `dashes`. Defaults to 0, a solid line. */
  dash?: number;
  /** `'only'` draws the points without the line. */
  points?: boolean | 'only';
}

/** Returns the lines over the union of their steps. */
export function aligned<Line extends Curve & Pick<ChartLine, 'band'>>(lines: readonly Line[]): Line[] {
  const steps = [...new Set(lines.flatMap((line) => line.steps))].sort((one, other) => one - other);
  return lines.map((line) => {
    if (line.steps.length === steps.length) return line;
    const rows = new Map(line.steps.map((step, row) => [step, row]));
    const spread = (values: Curve['values']): Curve['values'] =>
      steps.map((step) => values[rows.get(step) ?? -1]);
    const { values, band } = line;
    const spreadBand = band && { low: spread(band.low), high: spread(band.high) };
    return { ...line, steps, values: spread(values), band: spreadBand };
  });
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

export const dashOf = (dash = 0): readonly number[] => dashes[dash % dashes.length];

/** With more lines the letters would overlap. */
const mostLetters = 8;

/**
 * Labels the ends of lines with letters, which identify them in the legend without colour or dash. Faint lines get
 * no letter. A single line and more than `mostLetters` lines get none either.
 */
export function lettered(lines: readonly ChartLine[]): readonly ChartLine[] {
  const named = lines.filter(({ faint }) => faint !== true);
  if (named.length < 2 || named.length > mostLetters) return lines;
  return lines.map((line) =>
    named.includes(line) ? { ...line, end: String.fromCharCode(65 + named.indexOf(line)) } : line,
  );
}

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

const spoken = (lines: readonly ChartLine[]): ChartLine[] => lines.filter(({ faint }) => faint !== true);

/** The last step at or before `step` at which a line has a value, except faint lines; 0 before, null without steps. */
export function lastStepOf(lines: readonly ChartLine[], step: number | null): number | null {
  const { steps = [] } = lines.at(0) ?? {};
  const last = Math.max(-1, ...spoken(lines).map((line) => lastIndex(line, step)));
  return steps.length === 0 ? null : (steps[last] ?? 0);
}

/** Words for the values of all lines at a step, except faint lines. Empty without a value. */
export function toldAt(
  lines: readonly ChartLine[],
  step: number | null,
  format: (value: number) => string,
): string {
  return spoken(lines)
    .flatMap((line) => {
      const value = valueAt(line, step);
      return value === null ? [] : [`${line.label} ${format(value)}`];
    })
    .join(', ');
}

const tableRows = 24;

/**
 * Table rows of the lines, one per step. Long runs are sampled evenly, with all rows of lines of few values, such as tests.
 * A missing value is ''.
 */
export function tableOf(lines: readonly ChartLine[], format: (value: number) => string): string[][] {
  const { steps = [] } = lines.at(0) ?? {};
  const every = Math.max(1, Math.ceil(steps.length / tableRows));
  const sparse = lines.filter(
    ({ values }) => values.reduce((count: number, value) => count + Number(value != null), 0) <= tableRows,
  );
  const rows = steps
    .map((step, row) => [step, row])
    .filter(
      ([, row]) =>
        row % every === 0 || row === steps.length - 1 || sparse.some(({ values }) => values[row] != null),
    );
  return rows.map(([step, row]) => [
    String(step),
    ...lines.map(({ values }) => (values[row] == null ? '' : format(values[row]))),
  ]);
}
