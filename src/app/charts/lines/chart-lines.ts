/** Lines of the charts: metrics of training steps and results of evaluations, for one run or for several overlaid. */
import type { StepRecord } from '../../../run/record/events';
import { deviation, extent, mean, percent } from '../../../base/statistics';
import { borderOf } from '../../../run/config/warm-start';
import { aligned, referenceDash, type ChartLine } from './aligned';
import {
  finiteOrGap,
  metricCurve,
  testCurve,
  testFigures,
  type ChartRun,
  type Curve,
  type Figure,
} from './curve';
import { counted } from '../../ui/numbers';

/** Smoothing weight of the emphasized lines. */
const smoothing = 0.9;

const overlayColours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];
const overlayColour = (place: number): string => overlayColours[place % overlayColours.length];

const armOf = ({ arm, name }: ChartRun): string => arm ?? name;
const armsOf = (runs: readonly ChartRun[]): string[] => [...new Set(runs.map(armOf))];

/** True if some arm has several runs. The charts then draw the mean of each arm. */
export const areArms = (runs: readonly ChartRun[]): boolean =>
  runs.length > 1 && armsOf(runs).length < runs.length;

/** One line per arm if some arm has several runs, else one per run. */
function overlaid(runs: readonly ChartRun[], curveOf: (run: ChartRun) => Curve): ChartLine[] {
  const arms = armsOf(runs);
  const isByArm = areArms(runs);
  return arms.map((arm, place): ChartLine => {
    const own = runs.filter((run) => armOf(run) === arm);
    return {
      label: isByArm ? `${arm === '' ? 'all' : arm} (${counted(own.length, 'run')})` : own[0].name,
      colour: overlayColour(place),
      dash: place,
      ...(own.length === 1 ? curveOf(own[0]) : meanCurve(own.map((run) => curveOf(run)))),
    };
  });
}

/** False for a thinned run, and for one of another program that logs some of its steps. */
const isEveryStep = (records: readonly StepRecord[]): boolean =>
  records.length >= (records.at(-1)?.step ?? 0);

/** Lines of a step metric. One run has a raw and a smoothed line. Several runs have smoothed lines, or one per arm. */
export function stepLines(
  runs: readonly ChartRun[],
  name: string,
  colour: string,
  [each, mean] = [isEveryStep(runs[0].records) ? 'each step' : 'some of the steps', 'smoothed'],
): ChartLine[] {
  const curve = ({ records }: ChartRun, weight: number): Curve => metricCurve(records, name, weight);
  if (runs.length > 1) return overlaid(runs, (run) => curve(run, smoothing));
  return [
    { label: each, colour, faint: true, ...curve(runs[0], 0) },
    { label: mean, colour, ...curve(runs[0], smoothing) },
  ];
}

/** Smoothed mean of each reward component. Empty for a reward with one component. */
export function partLines({ records }: ChartRun): ChartLine[] {
  const names = Object.keys(records.at(-1) ?? {}).flatMap(
    (name) => /^rewards\/(.+)\/mean$/.exec(name)?.[1] ?? [],
  );
  const lines = names.map((label, place) => ({
    label,
    colour: overlayColour(place),
    dash: place + 1,
    ...metricCurve(records, `rewards/${label}/mean`, smoothing),
  }));
  return lines.length > 1 ? lines : [];
}

/**
 * Values of a curve at ascending steps: interpolated linearly between two of its steps, as the line is drawn; null outside of
 * its steps and next to a gap.
 */
function valuesOf(curve: Curve, steps: readonly number[]): (number | null)[] {
  let next = 0;
  return steps.map((step) => {
    while (next < curve.steps.length && curve.steps[next] < step) next++;
    const [from, to] = [curve.values[next - 1] ?? null, curve.values[next] ?? null];
    if (to === null || curve.steps[next] === step) return to;
    const [start, end] = [curve.steps[next - 1], curve.steps[next]];
    return from === null ? null : from + ((to - from) * (step - start)) / (end - start);
  });
}

/**
 * Mean of curves at the steps of all, with a band of one standard deviation (Bessel-corrected) on either side. A curve
 * counts from its first to its last step, apart from gaps. A thinned run and a whole one have different steps.
 */
export function meanCurve(curves: readonly Curve[]): Curve & Required<Pick<ChartLine, 'band'>> {
  const [{ steps }] = aligned(curves);
  const all = curves.map((curve) => valuesOf(curve, steps));
  const known = steps.map((_, row) => all.flatMap((values) => values[row] ?? []));
  const curve = (of: (values: number[]) => number): Curve['values'] =>
    known.map((values) => (values.length === 0 ? undefined : of(values)));
  return {
    steps,
    values: curve(mean),
    band: {
      low: curve((values) => mean(values) - deviation(values)),
      high: curve((values) => mean(values) + deviation(values)),
    },
  };
}

interface TestLine extends Pick<ChartLine, 'label' | 'colour' | 'dash'> {
  of: Figure;
}

const asked = {
  easy: { label: 'easy questions', colour: '--shortcut', dash: 1, of: testFigures.easy },
  hard: { label: 'hard questions', colour: '--hard', dash: 2, of: testFigures.hard },
  all: { label: 'all questions', colour: '--ink', dash: 0, of: testFigures.all },
  shortcut: { label: 'the shortcut alone', colour: '--quiet', dash: referenceDash, of: testFigures.shortcut },
};

/** Drops the lines of questions that no test asked. Before the first test all lines remain. */
const measured = (lines: readonly ChartLine[]): ChartLine[] =>
  lines.filter(({ values }) => values.length === 0 || values.some((value) => value != null));

export function testLines({ evaluations }: ChartRun, lines: readonly TestLine[]): ChartLine[] {
  return measured(
    lines.map(({ of, ...look }) => ({
      ...look,
      ...testCurve(evaluations, of),
      points: look.dash !== referenceDash,
    })),
  );
}

/**
 * Lines of accuracy, and the title of their chart. One run has a line for each kind of questions. Several runs have only
 * hard questions, or all questions if none is hard.
 */
export function accuracyOf(runs: readonly ChartRun[]): { title: string; lines: ChartLine[] } {
  const title = 'Accuracy';
  if (runs.length === 1) return { title, lines: testLines(runs[0], Object.values(asked)) };
  const linesOf = (figure: Figure): ChartLine[] =>
    measured(overlaid(runs, ({ evaluations }) => testCurve(evaluations, figure))).map((line) => ({
      ...line,
      points: true,
    }));
  const hard = linesOf(testFigures.hard);
  return hard.length > 0
    ? { title: 'Hard questions', lines: hard }
    : { title, lines: linesOf(testFigures.all) };
}

/** `: 2000 questions at both ends, the first 500 of them in between`; empty if all evaluations have the same size. */
export function setWords(run: ChartRun | null): string {
  const counts = run?.evaluations.map(({ report }) => report.overall.count) ?? [];
  const [first, all] = extent(counts);
  const isWarm = run?.config !== undefined && borderOf(run.config) > 0;
  const ends = isWarm ? 'at both ends and where rewards begin' : 'at both ends';
  return all > first ? `: ${all} questions ${ends}, the first ${first} of them in between` : '';
}

/** Says on how much of their questions the shortcut is right; empty if it answers none, or if the runs were asked others. */
export function shortcutWords(runs: readonly ChartRun[]): string {
  const sets = questionSets(runs);
  const report = sets.length === 1 ? sets[0][0].evaluations[0]?.report : undefined;
  const right = report === undefined ? null : testFigures.shortcut(report);
  return right === null
    ? ''
    : ` A shortcut that follows nobody’s belief is right on ${percent(right)} of it.`;
}

/** Runs by their set of questions. Sets on which the shortcut has exactly the same score count as one. */
export function questionSets(runs: readonly ChartRun[]): ChartRun[][] {
  const scoreOf = ({ evaluations: [first] }: ChartRun): number | null =>
    first === undefined ? null : finiteOrGap(testFigures.shortcut(first.report));
  const scores = new Set(runs.flatMap((run) => scoreOf(run) ?? []));
  return [...scores].map((score) => runs.filter((run) => scoreOf(run) === score));
}
