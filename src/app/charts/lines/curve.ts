/** Values over steps, and how they are drawn. */
import type { EvalReport, Evaluation } from '../../../run/record/evaluation';

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
