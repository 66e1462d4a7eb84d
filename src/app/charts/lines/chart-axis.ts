/** What the charts run along: steps, the tokens that training has seen, or the time that its steps have taken. */
import type { StepRecord } from '../../../run/record/events';
import { wholeIncrements } from '../chart-drawing';
import { stepSeconds } from '../../run/remaining-time';

export const axisKinds = ['step', 'tokens', 'time'] as const;
export type AxisKind = (typeof axisKinds)[number];

const axisNames: Record<AxisKind, string> = {
  step: 'step',
  tokens: 'tokens',
  time: 'training time',
};

/** The axis of all charts of a page at once. */
export interface ChartAxis {
  /** `step`, `tokens`, `training time`. */
  name: string;
  /** Where it ends. */
  length: number;
  /** Where a step stands on it. */
  placeOf(step: number): number;
  /** The last step at a place. */
  stepAt(place: number): number;
  words(place: number): string;
  /** What may lie between two ticks: a step, a token and a second are not divided. */
  increments: number[];
  ticks(places: readonly number[]): string[];
}

/** What a step adds to the axis, where its record says. */
const metrics: Record<Exclude<AxisKind, 'step'>, (record: StepRecord) => number | undefined> = {
  tokens: ({ num_tokens: tokens }) => tokens,
  time: stepSeconds,
};

export function canRunAlong(kind: AxisKind, runs: readonly (readonly StepRecord[])[]): boolean {
  return (
    kind === 'step' || runs.every((records) => records.every((record) => metrics[kind](record) !== undefined))
  );
}

const known = new WeakMap<readonly StepRecord[], Partial<Record<AxisKind, readonly number[]>>>();

/** Where each record stands, in one list for all lines of a run. The tokens are told as a sum; the time of steps is added up here, evaluations left out. */
export function placesOf(records: readonly StepRecord[], kind: AxisKind): readonly number[] {
  const cached = known.get(records) ?? {};
  known.set(records, cached);
  // The records of a run that trains grow in place.
  const places = cached[kind]?.length === records.length ? cached[kind] : computed(records, kind);
  return (cached[kind] = places);
}

function computed(records: readonly StepRecord[], kind: AxisKind): number[] {
  if (kind === 'step') return records.map(({ step }) => step);
  const values = records.map((record) => metrics[kind](record) ?? 0);
  if (kind === 'tokens') return values;
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** Where a step of this run stands; one that it has not taken stands where the step before does. */
export function placeOfStep(records: readonly StepRecord[], kind: AxisKind, step: number): number {
  if (kind === 'step') return step;
  const index = records.findLastIndex((record) => record.step <= step);
  return index < 0 ? 0 : placesOf(records, kind)[index];
}

/** Seconds. */
const clockIncrements = [1, 2, 5, 10, 15, 30].flatMap((first) => [first, 60 * first, 3600 * first]);
clockIncrements.sort((one, other) => one - other);

/** `12 300 tokens`, `3 min 20 s`. */
function placeWords(kind: AxisKind, place: number): string {
  if (kind === 'tokens')
    return `${new Intl.NumberFormat('en', { notation: 'compact' }).format(place)} tokens`;
  const seconds = Math.round(place);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
}

/**
 * @param runs - the first is the one that the page's step speaks of
 * @param steps - of the longest configuration
 */
export function axisOf(kind: AxisKind, runs: readonly (readonly StepRecord[])[], steps: number): ChartAxis {
  const [first = []] = runs;
  if (kind === 'step') {
    return {
      name: axisNames.step,
      length: steps,
      placeOf: (step) => step,
      stepAt: (place) => place,
      words: (place) => `step ${place}`,
      increments: [...wholeIncrements],
      ticks: (places) => places.map(String),
    };
  }
  const ends = runs.map((records) => placesOf(records, kind).at(-1) ?? 0);
  return {
    name: axisNames[kind],
    length: Math.max(1, ...ends),
    placeOf: (step) => placeOfStep(first, kind, step),
    stepAt: (place) => first[placesOf(first, kind).findLastIndex((other) => other <= place)]?.step ?? 0,
    words: (place) => placeWords(kind, place),
    increments: kind === 'time' ? clockIncrements : [...wholeIncrements],
    ticks: (places) => places.map((place) => placeWords(kind, place).replace(' tokens', '')),
  };
}
