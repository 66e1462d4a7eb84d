/** One run as the page shows it: the worker's events folded into signals, for a live run, a kept one or the recording. */
import { signal, type Signal } from '@preact/signals';
import type { RunConfig } from '../run/config';
import type { Alert, StepRecord, TrainerPhase } from '../run/events';
import type { Rollout } from '../run/rollout-record';
import { before, historyAfter } from '../run/history';
import type { Evaluation } from '../run/evaluation';
import type { ChosenBackend, KeptRun, WorkerEvent } from '../../workers/protocol';

export type Origin = 'recording' | 'live' | 'kept';

interface Progress {
  phase: TrainerPhase;
  step: number;
  fraction: number;
}

export interface RunView {
  readonly id: string | null;
  readonly origin: Origin;
  readonly config: RunConfig;
  readonly backend: ChosenBackend | null;
  readonly records: Signal<readonly StepRecord[]>;
  readonly evaluations: Signal<readonly Evaluation[]>;
  /** Steps whose rollouts can be looked at, ascending. */
  readonly rolloutSteps: Signal<readonly number[]>;
  /** Those of the last step that came in, if any did. */
  readonly latestRollouts: Signal<readonly Rollout[]>;
  readonly alerts: Signal<readonly Alert[]>;
  readonly progress: Signal<Progress | null>;
}

export function createRunView(origin: Origin, config: RunConfig): RunView {
  return {
    id: null,
    origin,
    config,
    backend: null,
    records: signal([]),
    evaluations: signal([]),
    rolloutSteps: signal([]),
    latestRollouts: signal([]),
    alerts: signal([]),
    progress: signal(null),
  };
}

export function viewOfKept(origin: Origin, kept: KeptRun): RunView {
  const { record } = kept;
  return {
    id: record.id,
    origin,
    config: record.config,
    // The worker writes it there when the run begins.
    backend: (record.machine.backend as ChosenBackend | undefined) ?? null,
    records: signal(kept.steps),
    evaluations: signal(kept.evals),
    rolloutSteps: signal(kept.rolloutSteps),
    latestRollouts: signal([]),
    alerts: signal(kept.alerts),
    progress: signal(null),
  };
}

/** Takes one event into the view. Events that are about the session (paused, failed, …) leave it as it is. */
export function fold(view: RunView, event: WorkerEvent): void {
  switch (event.type) {
    case 'step':
    case 'eval':
    case 'alert': {
      const { records, evaluations, alerts } = view;
      const history = { steps: records.value, evals: evaluations.value, alerts: alerts.value };
      const after = historyAfter(history, event);
      records.value = after.steps;
      evaluations.value = after.evals;
      alerts.value = after.alerts;
      break;
    }
    case 'rollouts':
      if (event.rollouts.length === 0) break;
      view.rolloutSteps.value = [...before(view.rolloutSteps.value, event.step, (step) => step), event.step];
      view.latestRollouts.value = event.rollouts;
      break;
    case 'progress':
      view.progress.value = { phase: event.phase, step: event.step, fraction: event.fraction };
      break;
    case 'run':
    case 'stage':
    case 'download':
    case 'kept':
    case 'storage':
    case 'paused':
    case 'stopped':
    case 'lost':
    case 'done':
    case 'failed':
      break;
  }
}

/** Steps that have been taken. */
export function stepsTaken(view: RunView): number {
  return view.records.value.at(-1)?.step ?? 0;
}
