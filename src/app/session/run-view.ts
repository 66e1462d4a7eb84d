/** One run as the page shows it: the worker's events folded into signals, for a live run, a kept one or the recording. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { Alert, StepRecord, TrainerPhase } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { addEvent, growingHistory, putAtStep, type History } from '../../run/record/history';
import type { Evaluation } from '../../run/record/evaluation';
import type { ChosenBackend, KeptRun, WorkerEvent } from '../../../workers/protocol';

/** What the page is at; `watching` is another tab's training. */
export type Activity = 'idle' | 'starting' | 'running' | 'pausing' | 'paused' | 'stopping' | 'watching';

export type Origin = 'recording' | 'live' | 'kept';

interface Progress {
  phase: TrainerPhase;
  step: number;
  fraction: number;
  count?: { done: number; total: number };
}

export interface RunView {
  readonly id: string | null;
  readonly origin: Origin;
  readonly config: RunConfig;
  readonly backend: ChosenBackend | null;
  readonly records: ReadonlySignal<readonly StepRecord[]>;
  readonly evaluations: ReadonlySignal<readonly Evaluation[]>;
  /** Steps whose rollouts can be looked at, ascending. */
  readonly rolloutSteps: ReadonlySignal<readonly number[]>;
  /** Those of the last step that came in, if any did. */
  readonly latestRollouts: ReadonlySignal<readonly Rollout[]>;
  readonly alerts: ReadonlySignal<readonly Alert[]>;
  readonly progress: ReadonlySignal<Progress | null>;
  /** Folds one event in. Events that are about the session (paused, failed, …) leave the view as it is. */
  take(event: WorkerEvent): void;
}

/**
 * @returns what the list holds, copied when it has grown and is read (components redraw for another list alone), and what is
 *   to be called when it has grown
 */
function growing<T>(list: readonly T[]): { list: ReadonlySignal<readonly T[]>; grown: () => void } {
  const version = signal(0);
  const copy = computed(() => (version.value, [...list]));
  return { list: copy, grown: () => void (version.value += 1) };
}

export function createRunView(
  origin: Origin,
  config: RunConfig,
  from?: History & { rolloutSteps: readonly number[] },
  of: Pick<RunView, 'id' | 'backend'> = { id: null, backend: null },
): RunView {
  const history = growingHistory(from);
  const steps = [...(from?.rolloutSteps ?? [])];
  const records = growing(history.steps);
  const evaluations = growing(history.evals);
  const alerts = growing(history.alerts);
  const rolloutSteps = growing(steps);
  const latestRollouts = signal<readonly Rollout[]>([]);
  const progress = signal<Progress | null>(null);
  const changed = { step: records.grown, eval: evaluations.grown, alert: alerts.grown };
  return {
    ...of,
    origin,
    config,
    records: records.list,
    evaluations: evaluations.list,
    rolloutSteps: rolloutSteps.list,
    latestRollouts,
    alerts: alerts.list,
    progress,
    take(event) {
      if (event.type === 'step' || event.type === 'eval' || event.type === 'alert') {
        addEvent(history, event);
        changed[event.type]();
      } else if (event.type === 'rollouts' && event.rollouts.length > 0) {
        putAtStep(steps, event.step, (step) => step);
        rolloutSteps.grown();
        latestRollouts.value = event.rollouts;
      } else if (event.type === 'progress') {
        progress.value = event;
      }
    },
  };
}

export function viewOfKept(origin: Origin, kept: KeptRun): RunView {
  const { id, config, machine } = kept.record;
  // The worker writes it there when the run begins.
  const backend = (machine.backend as ChosenBackend | undefined) ?? null;
  return createRunView(origin, config, kept, { id, backend });
}

export function stepsTaken(view: RunView): number {
  return view.records.value.at(-1)?.step ?? 0;
}
