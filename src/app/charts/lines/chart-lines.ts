/** What the lines of the charts are: the metrics of steps, the figures of evaluations, of one run or of several laid over each other. */
import { signal } from '@preact/signals';
import type { RunConfig } from '../../../run/config/config';
import type { Accuracy } from '../../../reward/accuracy';
import type { EvalReport, Evaluation } from '../../../run/record/evaluation';
import type { StepRecord } from '../../../run/record/events';
import type { RunHistory } from '../../../run/record/history';
import { deviation, extent, mean } from '../../../base/statistics';
import { differingSettings } from '../../../share/differing';
import { referenceDash, smoothed, type ChartLine, type Curve } from './curve';
import { asArms, highlighted } from '../chart-view';

/** What the charts read of a run, live or kept. */
export interface ChartRun {
  name: string;
  records: readonly StepRecord[];
  evaluations: readonly Evaluation[];
  steps: number;
  /** What sets its arm apart: runs of one arm share a colour, and may be drawn as their mean. */
  arm?: string;
  /** From which its arm is told where it is not named. */
  config?: RunConfig;
}

export function keptChartRun(name: string, { record, steps, evals }: RunHistory): ChartRun {
  return { name, records: steps, evaluations: evals, steps: record.config.steps };
}

/** Each run with its arm, where it has none of its own. */
export function withArms(runs: readonly ChartRun[]): readonly ChartRun[] {
  const arms = runs.length < 2 ? null : armNames(runs);
  return arms === null ? runs : runs.map((run, index) => ({ ...run, arm: arms[index] }));
}

/** Of the strong lines. */
export const smoothing = signal(0.9);

const overlayColours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];

function armsOf(runs: readonly ChartRun[]): string[] {
  return [...new Set(runs.map(({ arm, name }) => arm ?? name))];
}

/** Runs of one arm have its colour and differ by their dashes; where there is but one arm they differ by both. */
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

/** A line for each arm: the mean of its runs' lines, and one standard deviation on either side. */
function armLines(runs: readonly ChartRun[], lines: readonly ChartLine[]): ChartLine[] {
  return armsOf(runs).map((arm, dash) => {
    const own = lines.filter((_, index) => (runs[index].arm ?? runs[index].name) === arm);
    const { steps, mean, low, high } = armCurve(own);
    const label = `${arm === '' ? 'all' : arm} (${own.length === 1 ? '1 run' : `${own.length} runs`})`;
    const colour = overlayColours[dash % overlayColours.length];
    return { label, colour, dash, steps, values: mean, band: own.length > 1 ? { low, high } : undefined };
  });
}

function metric(records: readonly StepRecord[], name: string): (number | null)[] {
  return records.map(({ [name]: value }) => (Number.isFinite(value) ? value : null));
}

/** A metric of every step, raw and smoothed; of several runs only the smoothed ones, each under its name, or their arms. */
export function stepLines(runs: readonly ChartRun[], name: string, colour: string): ChartLine[] {
  const lines = runs.map((run, index): ChartLine => {
    const steps = run.records.map(({ step }) => step);
    const values = smoothed(metric(run.records, name), smoothing.value);
    if (runs.length === 1) return { label: 'smoothed', colour, steps, values };
    return { label: run.name, ...overlayLook(runs, index), steps, values };
  });
  if (runs.length === 1) {
    const raw = metric(runs[0].records, name);
    return [{ label: 'each step', colour, steps: lines[0].steps, values: raw, faint: true }, ...lines];
  }
  if (!asArms.value || !canBeArms(runs)) return lines;
  return withHighlighted(runs, armLines(runs, lines), (run) => lines[runs.indexOf(run)]);
}

/** The mean of each part of a run's reward, smoothed. Empty for a reward of one part. */
export function partLines({ records }: ChartRun): ChartLine[] {
  const names = Object.keys(records.at(-1) ?? {}).flatMap(
    (name) => /^rewards\/(.+)\/mean$/.exec(name)?.[1] ?? [],
  );
  const steps = records.map(({ step }) => step);
  const lines = names.map((name, place) => ({
    label: name,
    colour: overlayColours[place % overlayColours.length],
    dash: place + 1,
    steps,
    values: smoothed(metric(records, `rewards/${name}/mean`), smoothing.value),
  }));
  return lines.length > 1 ? lines : [];
}

/**
 * What sets each run's arm apart; null where no settings say so. Runs that differ by their seeds alone are one arm.
 */
export function armNames(runs: readonly { arm?: string; config?: RunConfig }[]): string[] | null {
  const configs = runs.flatMap(({ arm, config }) =>
    arm === undefined && config !== undefined ? [config] : [],
  );
  if (configs.length < runs.length) return null;
  return [...differingSettings(configs).arms];
}

/**
 * The mean at every step at which a run has a value; those that have not come so far, or were not asked at that step, do not
 * count there.
 *
 * @returns `low` and `high`: one standard deviation (Bessel's) from the mean; the mean itself where one run has a value
 */
export function armCurve(curves: readonly Curve[]) {
  const at = new Map<number, number[]>();
  for (const { steps, values } of curves) {
    steps.forEach((step, index) => {
      const value = values[index] ?? null;
      if (value === null) return;
      const found = at.get(step);
      if (found === undefined) at.set(step, [value]);
      else found.push(value);
    });
  }
  const steps = [...at.keys()].sort((a, b) => a - b);
  const means = steps.map((step) => mean(at.get(step)!));
  const spread = steps.map((step) => deviation(at.get(step)!));
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
  of: (evaluation: Evaluation) => number;
  dash: number;
  faint?: boolean;
}

export function evaluationLines(runs: readonly ChartRun[], lines: readonly EvaluationLine[]): ChartLine[] {
  return runs.flatMap((run, index) => {
    const steps = run.evaluations.map(({ report }) => report.step);
    const known = lines.filter(
      ({ of }) => run.evaluations.length === 0 || run.evaluations.some((one) => Number.isFinite(of(one))),
    );
    return known.map(({ label, colour, of, dash, faint }) => ({
      label: runs.length > 1 ? `${run.name}: ${label}` : label,
      ...(runs.length > 1 ? overlayLook(runs, index) : { colour, dash }),
      steps,
      values: run.evaluations.map(of).map((value) => (Number.isFinite(value) ? value : null)),
      faint,
      points: dash !== referenceDash && faint !== true,
    }));
  });
}

/** NaN where the test has no such questions: a value that is missing is not drawn. */
const accuracyIn = ({ count, accuracy }: Accuracy): number => (count === 0 ? NaN : accuracy);

/** Whether a shortcut is known for any question of a test. */
export const hasShortcut = ({ shortcutRight, shortcutWrong }: EvalReport): boolean =>
  shortcutRight.count + shortcutWrong.count > 0;

export const accuracyLines: EvaluationLine[] = [
  {
    label: 'easy questions',
    colour: '--shortcut',
    dash: 1,
    of: ({ report }) => accuracyIn(report.shortcutRight),
  },
  {
    label: 'hard questions',
    colour: '--hard',
    dash: 2,
    of: ({ report }) => accuracyIn(report.shortcutWrong),
  },
  { label: 'all questions', colour: '--ink', dash: 0, of: ({ report }) => accuracyIn(report.overall) },
  {
    label: 'the shortcut alone',
    colour: '--quiet',
    dash: referenceDash,
    of: ({ report }) => (hasShortcut(report) ? report.shortcutLine : NaN),
  },
];

export const greedyLength: EvaluationLine = {
  label: 'greedy',
  colour: '--thinking',
  dash: 1,
  of: ({ report }) => report.meanThinkLength,
};

/** More lines than these cannot be told apart. */
const runsWithTwoLines = 3;

/** Whether all questions are drawn beside the hard ones, and with them the shortcut, which is right on no hard one. */
export function drawsAllQuestions(runs: readonly ChartRun[]): boolean {
  return runs.length <= runsWithTwoLines && !(asArms.value && canBeArms(runs));
}

/** What the chart of accuracy shows: of many runs, or of arms, the hard questions alone. */
export function accuracyTitle(runs: readonly ChartRun[]): string {
  return runs.length > 1 && !drawsAllQuestions(runs) ? 'Hard questions' : 'Accuracy';
}

/** Of a few runs the two lines that tell a shortcut from reasoning, and the shortcut once; of many the telling one. */
export function comparedAccuracy(runs: readonly ChartRun[]): ChartLine[] {
  const [, wrong, all, shortcut] = accuracyLines;
  if (drawsAllQuestions(runs)) {
    const references = shortcutLines(runs).map(({ label, run }): ChartLine => {
      const [line] = evaluationLines([runs[run]], [shortcut]);
      return { ...line, label };
    });
    return [...evaluationLines(runs, [wrong, { ...all, faint: true }]), ...references];
  }
  const lines = evaluationLines(runs, [wrong]);
  if (!asArms.value || !canBeArms(runs)) return lines;
  return withHighlighted(
    runs,
    // Hard questions: the chart’s caption says so once for all of them.
    armLines(runs, lines).map((line) => ({ ...line, points: true })),
    (run) => evaluationLines([run], [wrong])[0],
  );
}

/** `: 2000 questions at both ends, the first 500 of them in between`; empty where all looks are alike. */
export function setWords(run: ChartRun | null): string {
  const counts = run?.evaluations.map(({ report }) => report.overall.count) ?? [];
  const [first, all] = extent(counts);
  return all > first ? `: ${all} questions at both ends, the first ${first} of them in between` : '';
}

interface EvaluatedRun {
  name: string;
  evaluations: readonly Evaluation[];
}

interface ShortcutLine {
  label: string;
  /** Place of the run whose line it is, the first of those with the same questions. */
  run: number;
}

/** What the shortcut alone would score, one line for each set of questions: two runs have the same one where the shortcut scores the same on it, to the last digit. */
export function shortcutLines(runs: readonly EvaluatedRun[]): ShortcutLine[] {
  const scores = runs.map(({ evaluations }) => {
    const report = evaluations.at(0)?.report;
    return report === undefined || !hasShortcut(report) ? null : report.shortcutLine;
  });
  const distinct = [...new Set(scores)].filter((score) => Number.isFinite(score));
  return distinct.map((score) => {
    const names = runs.filter((_, i) => scores[i] === score).map(({ name }) => name);
    const whose = distinct.length === 1 ? '' : `${names.join(', ')}: `;
    return { label: `${whose}the shortcut alone`, run: scores.indexOf(score) };
  });
}
