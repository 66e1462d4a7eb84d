/**
 * Summarises a run's history for reports and the table of runs. Accuracies are those of the fixed greedy set, at the start
 * (step 0 or the end of a warm start) and at the last evaluation.
 */
import { fromStart, standingOf, type Standing } from '../verdict/ending';
import { measuredAccuracy, type Accuracy } from '../../reward/accuracy';
import type { StepRecord } from './events';
import type { EvalReport, Verdict } from './evaluation';
import type { History } from './history';
import { measuredFigure, type ReportFigure } from '../verdict/measured';

/** Values at the start and at the last evaluation. */
export interface Change {
  from: number;
  to: number;
}

export interface RunSummary {
  /** Last step. The records of a long run may be thinned, as in a result code. */
  steps: number;
  /** Step of the evaluation at the start. */
  start: number;
  /** These and the following changes are null if an evaluation asked no such question. */
  responseLength: Change | null;
  thinkLength: Change | null;
  accuracy: Change | null;
  easy: Change | null;
  hard: Change | null;
  /** Accuracy of the shortcut alone on the same items; null if it answers none. */
  shortcutLine: number | null;
  traceValidity: Change | null;
  /** Fractions of faithful traces, on belief questions and on the hard ones. */
  faithful: Change | null;
  faithfulHard: Change | null;
  heldOut: Record<string, Change>;
  /** Null before the second evaluation. `since` is also null if some verdicts are absent, as in a result code. */
  verdict: (Standing & Pick<Verdict, 'missing'>) | null;
  alerts: string[];
  /** Seconds of all steps and their storage, without pauses and evaluations. */
  seconds: number;
}

/** Null if one of the evaluations asked no such question. */
function change(from: number | null, to: number | null): Change | null {
  return from === null || to === null ? null : { from, to };
}

const accuracyChange = (from: Accuracy | undefined, to: Accuracy): Change | null =>
  change(measuredAccuracy(from), measuredAccuracy(to));

const figureChange = (from: EvalReport, to: EvalReport, name: ReportFigure): Change | null =>
  change(measuredFigure(from, name), measuredFigure(to, name));

/** @returns null before the first evaluation */
export function summarise({ steps, evals: all, alerts }: History): RunSummary | null {
  const evals = fromStart(all);
  const start = evals.at(0)?.report;
  const end = evals.at(-1);
  if (start === undefined || end === undefined) return null;
  const now = end.report;
  const standing = standingOf(evals);
  return {
    steps: steps.at(-1)?.step ?? 0,
    start: start.step,
    responseLength: figureChange(start, now, 'meanLength'),
    thinkLength: figureChange(start, now, 'meanThinkLength'),
    accuracy: accuracyChange(start.overall, now.overall),
    easy: accuracyChange(start.shortcutRight, now.shortcutRight),
    hard: accuracyChange(start.shortcutWrong, now.shortcutWrong),
    shortcutLine: measuredFigure(now, 'shortcutLine'),
    traceValidity: figureChange(start, now, 'traceValidity'),
    faithful: figureChange(start, now, 'faithful'),
    faithfulHard: figureChange(start, now, 'faithfulWrong'),
    heldOut: Object.fromEntries(
      Object.entries(now.heldOut).flatMap(([name, accuracy]) => {
        const both = accuracyChange(start.heldOut[name], accuracy);
        return both === null ? [] : [[name, both]];
      }),
    ),
    verdict: standing && {
      ...standing,
      since: evals.slice(1).every(({ verdict }) => verdict !== undefined) ? standing.since : null,
      missing: end.verdict?.missing ?? [],
    },
    alerts: [...new Set(alerts.map(({ code }) => code))],
    seconds: total(steps, 'step_time') + total(steps, 'time/store'),
  };
}

function total(steps: readonly StepRecord[], metric: string): number {
  return steps.reduce((sum, record) => sum + (record[metric] ?? 0), 0);
}

/** Thinking length at the end / at the start; NaN if there was no thinking at the start, or no question. */
export function lengthRatio({ thinkLength }: Pick<RunSummary, 'thinkLength'>): number {
  return thinkLength === null || thinkLength.from === 0 ? Number.NaN : thinkLength.to / thinkLength.from;
}
