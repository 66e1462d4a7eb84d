/** Curves of values over steps: metrics of training steps and results of evaluations. */
import type { RunConfig } from '../../../run/config/config';
import type { EvalReport, Evaluation } from '../../../run/record/evaluation';
import type { StepRecord } from '../../../run/record/events';
import type { RunHistory } from '../../../run/record/history';
import { measuredAccuracy, measuredFigure } from '../../../run/verdict/measured';
import type { RunView } from '../../session/run-view';
import { mainMetrics } from '../../../run/recording/recording-file';

export interface Curve {
  /** Ascending. */
  steps: readonly number[];
  /** Null is a gap; undefined is no point, and the curve continues across it. */
  values: readonly (number | null | undefined)[];
}

/** The union of the steps of curves, ascending. */
export const stepsOf = (curves: readonly Pick<Curve, 'steps'>[]): number[] =>
  [...new Set(curves.flatMap(({ steps }) => steps))].sort((one, other) => one - other);

/** Data of a run for the charts, live or kept. */
export interface ChartRun {
  name: string;
  config: RunConfig;
  records: readonly StepRecord[];
  evaluations: readonly Evaluation[];
  /** Name of its arm. Runs of one arm share a colour, and may be drawn as their mean. */
  arm?: string;
}

export const keptChartRun = (name: string, { record, steps, evals }: RunHistory): ChartRun => ({
  ...{ name, config: record.config, records: steps, evaluations: evals },
});

export const viewChartRun = (name: string, { config, records, evaluations }: RunView): ChartRun => ({
  ...{ name, config, records: records.value, evaluations: evaluations.value },
});

/** Converts missing and non-finite values to gaps. Failed runs have non-finite values. */
const finiteOrGap = (value: number | null | undefined): number | null =>
  Number.isFinite(value) ? value! : null;

/**
 * Curve of a step metric: an exponential moving average with bias correction, as in Adam: m_t = w m_(t-1) + (1 - w) x_t,
 * returned as m_t / (1 - w^t). Without the correction the curve would start near 0. A value d steps after the record
 * before it has the weight 1 - w^d, so the average of a thinned run spans as many steps as that of the whole one.
 *
 * @param weight - w, at least 0 and below 1; 0 returns the values unchanged
 */
export function metricCurve(records: readonly StepRecord[], name: string, weight: number): Curve {
  let [mean, remaining] = [0, 1];
  let before = (records[0]?.step ?? 0) - 1;
  const values = records.map((record) => {
    const kept = weight ** (record.step - before);
    const value = finiteOrGap(record[name]);
    before = record.step;
    if (value === null) return null;
    mean = kept * mean + (1 - kept) * value;
    remaining *= kept;
    return mean / (1 - remaining);
  });
  return { steps: records.map(({ step }) => step), values };
}

/** Returns a figure of a test; null if the test asks no such questions. */
export type Figure = (report: EvalReport) => number | null;

export const testFigures = {
  /** Mean tokens of thinking. */
  tested: (report: EvalReport) => measuredFigure(report, 'meanThinkLength'),
  /** Accuracy on hard questions, on easy ones and on all, and that of the shortcut alone. */
  hard: ({ shortcutWrong }: EvalReport) => measuredAccuracy(shortcutWrong),
  easy: ({ shortcutRight }: EvalReport) => measuredAccuracy(shortcutRight),
  all: ({ overall }: EvalReport) => measuredAccuracy(overall),
  shortcut: (report: EvalReport) => measuredFigure(report, 'shortcutLine'),
};

export function testCurve(evaluations: readonly Evaluation[], figure: Figure): Curve {
  return {
    steps: evaluations.map(({ report }) => report.step),
    values: evaluations.map(({ report }) => finiteOrGap(figure(report))),
  };
}

/** Smoothing weight of the reward. */
const weight = 0.7;

/** Main curves of a run, live or recorded. */
export function curvesOf(records: readonly StepRecord[], evaluations: readonly Evaluation[]) {
  return {
    reward: metricCurve(records, mainMetrics.reward, weight),
    thinking: metricCurve(records, mainMetrics.thinking, 0),
    tested: testCurve(evaluations, testFigures.tested),
    hard: testCurve(evaluations, testFigures.hard),
    easy: testCurve(evaluations, testFigures.easy),
  };
}
