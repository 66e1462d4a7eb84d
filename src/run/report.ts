/**
 * The run report: one record of what a run was asked, what it did and how it ended, folded from its events; and the
 * few numbers that a table of runs shows.
 *
 * All accuracies are of the fixed greedy set, at step 0 and at the last evaluation. A record holds the rollouts of the
 * first and of the last step only: with the seed and the configuration every other step can be run again.
 */
import type { RunConfig } from './config';
import type { Alert, EvalReport, Forecast, Rollout, StepRecord, TrainerEvent } from './events';
import { forecastOf } from './forecast-model';
import { standingOf, type Standing } from './ending';
import type { Verdict } from './verdict';

export interface RunReport {
  config: RunConfig;
  /** Where it ran: backend, adapter, browser, build; whatever the caller knows. */
  machine: Record<string, unknown>;
  steps: StepRecord[];
  evaluations: { report: EvalReport; verdict?: Verdict; forecast?: Forecast }[];
  alerts: Alert[];
  firstRollouts: Rollout[];
  lastRollouts: Rollout[];
  /** `running` until an event says otherwise. */
  outcome: 'running' | 'done' | 'failed' | 'lost';
  /** Of a failure. */
  failure: string | null;
}

/** From step 0 to the last evaluation. */
export interface Change {
  from: number;
  to: number;
}

export interface RunSummary {
  steps: number;
  responseLength: Change;
  thinkLength: Change;
  accuracy: Change;
  shortcutRight: Change;
  shortcutWrong: Change;
  /** Accuracy of the shortcut alone on the same items. */
  shortcutLine: number;
  traceValidity: Change;
  heldOut: Record<string, Change>;
  /** Null before the second evaluation, and for runs that an older rule has judged. */
  verdict: (Standing & Pick<Verdict, 'missing'>) | null;
  forecast: Forecast | null;
  alerts: string[];
  /** Of all steps and of keeping them; pauses and evaluations left out. */
  seconds: number;
  /** Share of those seconds in each phase; the update holds the forward pass of the reference, which it is taken against. */
  timeShares: Record<'rollout' | 'reward' | 'update' | 'store', number>;
  /** The part of the update's share that is the reference's; 0 where nothing is held against it. */
  referenceShare: number;
}

export function newReport(config: RunConfig, machine: Record<string, unknown> = {}): RunReport {
  return {
    config,
    machine,
    steps: [],
    evaluations: [],
    alerts: [],
    firstRollouts: [],
    lastRollouts: [],
    outcome: 'running',
    failure: null,
  };
}

/** The report with one more event. What a resumed run says again replaces what stood there. */
export function addToReport(report: RunReport, event: TrainerEvent): RunReport {
  switch (event.type) {
    case 'step':
      return { ...report, steps: [...before(report.steps, event.record.step), event.record] };
    case 'eval': {
      const kept = report.evaluations.filter((evaluation) => evaluation.report.step < event.report.step);
      const { report: evaluated, verdict, forecast } = event;
      return { ...report, evaluations: [...kept, { report: evaluated, verdict, forecast }] };
    }
    case 'rollouts':
      return {
        ...report,
        firstRollouts: event.step === 1 ? event.rollouts : report.firstRollouts,
        lastRollouts: event.rollouts,
      };
    case 'alert': {
      const { alert } = event;
      const isNew = !report.alerts.some(({ code, step }) => code === alert.code && step === alert.step);
      return isNew ? { ...report, alerts: [...report.alerts, alert] } : report;
    }
    case 'done':
      return { ...report, outcome: 'done' };
    case 'failed':
    case 'lost':
      return { ...report, outcome: event.type, failure: event.error.message };
    case 'progress':
    case 'paused':
    case 'checkpoint':
      return report;
  }
}

/** @returns null before the first evaluation */
export function summarise(report: RunReport): RunSummary | null {
  const start = report.evaluations.at(0)?.report;
  const end = report.evaluations.at(-1);
  if (start === undefined || end === undefined) return null;
  const now = end.report;
  const standing = standingOf(report.evaluations.flatMap(({ verdict }) => verdict ?? []));
  const seconds = total(report.steps, 'step_time') + total(report.steps, 'time/store');
  const share = (phase: string): number => total(report.steps, `time/${phase}`) / Math.max(1e-9, seconds);
  const referenceShare = share('reference');
  return {
    steps: report.steps.length,
    responseLength: { from: start.meanLength, to: now.meanLength },
    thinkLength: { from: start.meanThinkLength, to: now.meanThinkLength },
    accuracy: { from: start.overall.accuracy, to: now.overall.accuracy },
    shortcutRight: { from: start.shortcutRight.accuracy, to: now.shortcutRight.accuracy },
    shortcutWrong: { from: start.shortcutWrong.accuracy, to: now.shortcutWrong.accuracy },
    shortcutLine: now.shortcutLine,
    traceValidity: { from: start.traceValidity, to: now.traceValidity },
    heldOut: Object.fromEntries(
      Object.entries(now.heldOut).map(([name, { accuracy }]) => [
        name,
        { from: start.heldOut[name]?.accuracy ?? 0, to: accuracy },
      ]),
    ),
    verdict: standing && { ...standing, missing: end.verdict?.missing ?? [] },
    forecast: forecastOf(report.evaluations),
    alerts: [...new Set(report.alerts.map(({ code }) => code))],
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

function before(steps: readonly StepRecord[], step: number): StepRecord[] {
  return steps.filter((record) => record.step < step);
}

function total(steps: readonly StepRecord[], metric: string): number {
  return steps.reduce((sum, record) => sum + (record[metric] ?? 0), 0);
}
