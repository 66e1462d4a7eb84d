/**
 * The few numbers that a report and a table of runs show of a run's history. All accuracies are of the fixed greedy set, at
 * the start, which is step 0 or the end of a warm start, and at the last evaluation.
 */
import { fromStart, standingOf, type Standing } from '../verdict/ending';
import type { StepRecord } from './events';
import type { PairedMean, Verdict } from './evaluation';
import type { History } from './history';

/** From the start to the last evaluation. */
export interface Change {
  from: number;
  to: number;
}

export interface RunSummary {
  steps: number;
  /** Step of the evaluation that changes are from. */
  start: number;
  responseLength: Change;
  thinkLength: Change;
  accuracy: Change;
  shortcutRight: Change;
  shortcutWrong: Change;
  /** Accuracy of the shortcut alone on the same items. */
  shortcutLine: number;
  traceValidity: Change;
  /** Fraction of faithful traces, and that where the shortcut is wrong, by the last verdict; null where there is none. */
  faithful: Change | null;
  faithfulWrong: Change | null;
  heldOut: Record<string, Change>;
  /** Null before the second evaluation; `since` too where not every test is told, as in a result code. */
  verdict: (Standing & Pick<Verdict, 'missing'>) | null;
  alerts: string[];
  /** Of all steps and of keeping them; pauses and evaluations left out. */
  seconds: number;
  /** Share of those seconds in each phase; the update holds the forward pass of the reference, which it is taken against. */
  timeShares: Record<'rollout' | 'reward' | 'update' | 'store', number>;
  /** The part of the update's share that is the reference's; 0 where nothing is held against it. */
  referenceShare: number;
}

/** @returns null before the first evaluation */
export function summarise({ steps, evals: all, alerts }: History): RunSummary | null {
  const evals = fromStart(all);
  const start = evals.at(0)?.report;
  const end = evals.at(-1);
  if (start === undefined || end === undefined) return null;
  const now = end.report;
  const standing = standingOf(evals);
  const seconds = total(steps, 'step_time') + total(steps, 'time/store');
  const share = (phase: string): number => total(steps, `time/${phase}`) / Math.max(1e-9, seconds);
  const referenceShare = share('reference');
  return {
    steps: steps.length,
    start: start.step,
    responseLength: { from: start.meanLength, to: now.meanLength },
    thinkLength: { from: start.meanThinkLength, to: now.meanThinkLength },
    accuracy: { from: start.overall.accuracy, to: now.overall.accuracy },
    shortcutRight: { from: start.shortcutRight.accuracy, to: now.shortcutRight.accuracy },
    shortcutWrong: { from: start.shortcutWrong.accuracy, to: now.shortcutWrong.accuracy },
    shortcutLine: now.shortcutLine,
    traceValidity: { from: start.traceValidity, to: now.traceValidity },
    faithful: changeOf(end.verdict?.faithful),
    faithfulWrong: changeOf(end.verdict?.faithfulWrong),
    heldOut: Object.fromEntries(
      Object.entries(now.heldOut).map(([name, { accuracy }]) => [
        name,
        { from: start.heldOut[name]?.accuracy ?? 0, to: accuracy },
      ]),
    ),
    verdict: standing && {
      ...standing,
      since: evals.slice(1).every(({ verdict }) => verdict !== undefined) ? standing.since : null,
      missing: end.verdict?.missing ?? [],
    },
    alerts: [...new Set(alerts.map(({ code }) => code))],
    seconds,
    timeShares: {
      rollout: share('rollout'),
      reward: share('reward'),
      update: share('update') + referenceShare,
      store: share('store'),
    },
    referenceShare,
  };
}

function changeOf(figure: PairedMean | null | undefined): Change | null {
  return figure == null ? null : { from: figure.before, to: figure.now };
}

function total(steps: readonly StepRecord[], metric: string): number {
  return steps.reduce((sum, record) => sum + (record[metric] ?? 0), 0);
}

/** The length of the thinking at the end as a part of that at the start; not a number where there was none. */
export function lengthRatio({ thinkLength: { from, to } }: RunSummary): number {
  return from === 0 ? Number.NaN : to / from;
}
