/** One line of a chart. */
import type { Curve } from './curve';

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

export function dashOf({ dash = 0 }: ChartLine): readonly number[] {
  return dashes[dash % dashes.length];
}
