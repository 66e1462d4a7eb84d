/** Lines of the charts: metrics of training steps and results of evaluations, for one run or for several overlaid. */
import { signal } from '@preact/signals';
import type { RunConfig } from '../../../run/config/config';
import type { EvalReport, Evaluation } from '../../../run/record/evaluation';
import type { RunHistory } from '../../../run/record/history';
import type { StepRecord } from '../../../run/record/events';
import { deviation, extent, mean } from '../../../base/statistics';
import {
  metricIn,
  referenceDash,
  smoothed,
  smoothedMetric,
  stepsIn,
  stepsOf,
  testCurve,
  testFigures,
  type ChartLine,
  type Curve,
} from './curve';
import { asArms, highlighted } from '../chart-view';

/** Data of a run for the charts, live or kept. */
export interface ChartRun {
  name: string;
  records: readonly StepRecord[];
  evaluations: readonly Evaluation[];
  steps: number;
  /** Name of its arm. Runs of one arm share a colour, and may be drawn as their mean. */
  arm?: string;
  config?: RunConfig;
}

export function keptChartRun(name: string, { record, steps, evals }: RunHistory): ChartRun {
  return { name, records: steps, evaluations: evals, steps: record.config.steps };
}

/** Smoothing weight of the emphasized lines. */
export const smoothing = signal(0.9);

const overlayColours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];

function armsOf(runs: readonly ChartRun[]): string[] {
  return [...new Set(runs.map(({ arm, name }) => arm ?? name))];
}

/** Colour and dash of a run among several. Runs of one arm share a colour, unless there is only one arm. */
function overlayLook(runs: readonly ChartRun[], index: number): Pick<ChartLine, 'colour' | 'dash'> {
  const arms = armsOf(runs);
  const place = arms.length === 1 ? index : arms.indexOf(runs[index].arm ?? runs[index].name);
  return { colour: overlayColours[place % overlayColours.length], dash: index };
}

function withHighlighted(
  runs: readonly ChartRun[],
  arms: readonly ChartLine[],
  own: (run: ChartRun) => ChartLine,
): ChartLine[] {
  const run = runs.find(({ name }) => name === highlighted.value);
  return run === undefined
    ? [...arms]
    : [...arms, { ...own(run), label: run.name, colour: '--ink', dash: 0, isPassing: true }];
}

export function canBeArms(runs: readonly ChartRun[]): boolean {
  return runs.length > 1 && armsOf(runs).length < runs.length;
}

/** One line per arm: the mean of its runs, with a band of one standard deviation on either side. */
function armLines(runs: readonly ChartRun[], lines: readonly ChartLine[]): ChartLine[] {
  return armsOf(runs).map((arm, dash) => {
    const own = lines.filter((_, index) => (runs[index].arm ?? runs[index].name) === arm);
    const { steps, mean, low, high } = armCurve(own);
    const label = `${arm === '' ? 'all' : arm} (${own.length === 1 ? '1 run' : `${own.length} runs`})`;
    const colour = overlayColours[dash % overlayColours.length];
    return { label, colour, dash, steps, values: mean, band: own.length > 1 ? { low, high } : undefined };
  });
}

/** False for a thinned run, and for one of another program that logs some of its steps. */
function isEveryStep(records: readonly StepRecord[]): boolean {
  const [first, last] = [records.at(0)?.step ?? 1, records.at(-1)?.step ?? 0];
  return records.length >= last - first + 1;
}

/** Lines of a step metric. One run has a raw and a smoothed line. Several runs have smoothed lines, or one per arm. */
export function stepLines(
  runs: readonly ChartRun[],
  name: string,
  colour: string,
  [each, mean] = [isEveryStep(runs[0].records) ? 'each step' : 'some of the steps', 'smoothed'],
): ChartLine[] {
  if (runs.length === 1) {
    const steps = stepsIn(runs[0].records);
    const raw = metricIn(runs[0].records, name);
    return [
      { label: each, colour, steps, values: raw, faint: true },
      { label: mean, colour, steps, values: smoothed({ steps, values: raw }, smoothing.value) },
    ];
  }
  const lines = runs.map((run, index): ChartLine => {
    const curve = smoothedMetric(run.records, name, smoothing.value);
    return { label: run.name, ...overlayLook(runs, index), ...curve };
  });
  if (!asArms.value || !canBeArms(runs)) return lines;
  return withHighlighted(runs, armLines(runs, lines), (run) => lines[runs.indexOf(run)]);
}

/** Smoothed mean of each reward component. Empty for a reward with one component. */
export function partLines({ records }: ChartRun): ChartLine[] {
  const names = Object.keys(records.at(-1) ?? {}).flatMap(
    (name) => /^rewards\/(.+)\/mean$/.exec(name)?.[1] ?? [],
  );
  const lines = names.map((name, place) => ({
    label: name,
    colour: overlayColours[place % overlayColours.length],
    dash: place + 1,
    ...smoothedMetric(records, `rewards/${name}/mean`, smoothing.value),
  }));
  return lines.length > 1 ? lines : [];
}

/**
 * Values of a curve at ascending steps: linear between two of its steps, as the line is drawn, and null outside of them or
 * beside a gap.
 */
function valuesOf(curve: Curve, steps: readonly number[]): (number | null)[] {
  if (steps === curve.steps) return [...curve.values];
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
 * Mean of curves at the steps of all. A curve counts from its first to its last step, apart from gaps. A thinned run and a
 * whole one have different steps.
 *
 * @returns `low` and `high`: the mean ± one standard deviation (Bessel-corrected); the mean itself for a single value
 */
export function armCurve(curves: readonly Curve[]) {
  const union = stepsOf(curves);
  const all = curves.map((curve) => valuesOf(curve, union));
  const at = union.map((_, index) => all.flatMap((values) => values[index] ?? []));
  const steps = union.filter((_, index) => at[index].length > 0);
  const known = at.filter((values) => values.length > 0);
  const means = known.map(mean);
  const spread = known.map(deviation);
  return {
    steps,
    mean: means,
    low: means.map((value, index) => value - spread[index]),
    high: means.map((value, index) => value + spread[index]),
  };
}

interface EvaluationLine {
  label: string;
  colour: string;
  /** Null is a gap. */
  of: (report: EvalReport) => number | null;
  dash: number;
  faint?: boolean;
}

export function evaluationLines(runs: readonly ChartRun[], lines: readonly EvaluationLine[]): ChartLine[] {
  return runs.flatMap((run, index) => {
    const known = lines.filter(
      ({ of }) => run.evaluations.length === 0 || run.evaluations.some(({ report }) => of(report) !== null),
    );
    return known.map(({ label, colour, of, dash, faint }) => ({
      label: runs.length > 1 ? `${run.name}: ${label}` : label,
      ...(runs.length > 1 ? overlayLook(runs, index) : { colour, dash }),
      ...testCurve(run.evaluations, of),
      faint,
      points: dash !== referenceDash && faint !== true,
    }));
  });
}

export const accuracyLines: EvaluationLine[] = [
  { label: 'easy questions', colour: '--shortcut', dash: 1, of: testFigures.easy },
  { label: 'hard questions', colour: '--hard', dash: 2, of: testFigures.hard },
  { label: 'all questions', colour: '--ink', dash: 0, of: testFigures.all },
  { label: 'the shortcut alone', colour: '--quiet', dash: referenceDash, of: testFigures.shortcut },
];

export const testedLength: Omit<EvaluationLine, 'label'> = {
  colour: '--thinking',
  dash: 1,
  of: testFigures.tested,
};

/** With more runs, two lines per run are not distinguishable. */
const runsWithTwoLines = 3;

/** True if the chart of accuracy adds all questions, and the shortcut's score on them, to the hard questions. */
export function drawsAllQuestions(runs: readonly ChartRun[]): boolean {
  return runs.length <= runsWithTwoLines && !(asArms.value && canBeArms(runs));
}

/** True if a run was asked hard questions, or has no test yet. */
const asksHard = (runs: readonly ChartRun[]): boolean =>
  runs.some(
    ({ evaluations }) => evaluations.length === 0 || testFigures.hard(evaluations[0].report) !== null,
  );

/** Title of the chart of accuracy. For many runs or for arms it shows only the hard questions, if there are any. */
export function accuracyTitle(runs: readonly ChartRun[]): string {
  return runs.length > 1 && !drawsAllQuestions(runs) && asksHard(runs) ? 'Hard questions' : 'Accuracy';
}

/**
 * Lines of accuracy for several runs. A few runs have hard questions, all questions and the shortcut's score. Many
 * runs, or arms, have only hard questions, or all questions if none is hard.
 */
export function comparedAccuracy(runs: readonly ChartRun[]): ChartLine[] {
  const [, wrong, all, shortcut] = accuracyLines;
  if (drawsAllQuestions(runs)) {
    const references = shortcutLines(runs).map(({ label, run }): ChartLine => {
      const [line] = evaluationLines([runs[run]], [shortcut]);
      return { ...line, label };
    });
    return [...evaluationLines(runs, [wrong, { ...all, faint: true }]), ...references];
  }
  const asked = asksHard(runs) ? wrong : all;
  const lines = evaluationLines(runs, [asked]);
  if (!asArms.value || !canBeArms(runs)) return lines;
  return withHighlighted(
    runs,
    // Drops the label "hard questions" from each line: the chart's title states it.
    armLines(runs, lines).map((line) => ({ ...line, points: true })),
    (run) => evaluationLines([run], [asked])[0],
  );
}

/** `: 2000 questions at both ends, the first 500 of them in between`; empty if all evaluations have the same size. */
export function setWords(run: ChartRun | null): string {
  const counts = run?.evaluations.map(({ report }) => report.overall.count) ?? [];
  const [first, all] = extent(counts);
  return all > first ? `: ${all} questions at both ends, the first ${first} of them in between` : '';
}

interface ShortcutLine {
  label: string;
  /** Index of the first run with these questions. */
  run: number;
}

/** Score of the shortcut alone, one line per set of questions. Sets with exactly the same score count as one. */
export function shortcutLines(runs: readonly Pick<ChartRun, 'name' | 'evaluations'>[]): ShortcutLine[] {
  const scores = runs.map(({ evaluations }) => {
    const report = evaluations.at(0)?.report;
    return report === undefined ? null : testFigures.shortcut(report);
  });
  const distinct = [...new Set(scores)].filter((score) => Number.isFinite(score));
  return distinct.map((score) => {
    const names = runs.filter((_, i) => scores[i] === score).map(({ name }) => name);
    const whose = distinct.length === 1 ? '' : `${names.join(', ')}: `;
    return { label: `${whose}the shortcut alone`, run: scores.indexOf(score) };
  });
}
