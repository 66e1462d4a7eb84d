/** One run as the page shows it: worker events folded into signals, for a live run, a kept one or the recording. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { RunParts } from '../../run/estimate';
import type { Evaluation } from '../../run/record/evaluation';
import type { Alert, StepRecord, TrainerEvent } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { addEvent, growingHistory, type History } from '../../run/record/history';
import type { PaidStep, StepBatch } from '../../run/recording/step-batch';
import { createHeldSteps } from '../../run/record/held-steps';
import {
  backendOf,
  type ChosenBackend,
  type KeptRun,
  type RunEnd,
  type RunState,
  type WorkerEvent,
} from '../../../workers/protocol';

/** State of the worker's run as the page shows it. */
export type Activity = Exclude<RunState['is'], 'ended'> | 'idle';

export type Origin = 'recording' | 'live' | 'kept';

export type Progress = Extract<TrainerEvent, { type: 'progress' }>;

interface Facts {
  id?: string;
  backend?: ChosenBackend | null;
  parts?: RunParts<number> | null;
  rolloutsAt?: (step: number) => Promise<readonly Rollout[]>;
  batches?: readonly StepBatch[];
  paid?: readonly PaidStep[];
}

export type EndOfRun = RunEnd & { id: string };

export interface BegunRun {
  id: string;
  /** Resolves before the list of runs has the end. */
  ended: Promise<EndOfRun>;
}

export type RunView = ReturnType<typeof createRunView>;

export function createRunView(
  origin: Origin,
  config: RunConfig,
  from?: History & { rolloutSteps: readonly number[] },
  facts: Facts = {},
) {
  const { id = null, backend = null, parts = null } = facts;
  const history = growingHistory(from);
  const steps = [...(from?.rolloutSteps ?? [])];
  const held = createHeldSteps(history, steps);
  // Copies of the growing lists, since components rerender only for a new list.
  const records = signal<readonly StepRecord[]>([...history.steps]);
  const evaluations = signal<readonly Evaluation[]>([...history.evals]);
  const alerts = signal<readonly Alert[]>([...history.alerts]);
  const rolloutSteps = signal<readonly number[]>([...steps]);
  let latest: readonly Rollout[] = [];
  const progress = signal<Progress | null>(null);
  return {
    id,
    backend,
    origin,
    config,
    /** In step order; thinned for a long run. */
    records: records as ReadonlySignal<readonly StepRecord[]>,
    evaluations: evaluations as ReadonlySignal<readonly Evaluation[]>,
    /** Steps with rollouts, ascending; thinned for a long run. */
    rolloutSteps: rolloutSteps as ReadonlySignal<readonly number[]>,
    alerts: alerts as ReadonlySignal<readonly Alert[]>,
    progress: progress as ReadonlySignal<Progress | null>,
    /** Planned seconds of the run's parts; null for a run that does not train here. */
    parts,
    /** Rollouts of one step that are drawn in a picture. */
    rolloutsAt: async (step: number): Promise<readonly Rollout[]> =>
      latest.at(0)?.step === step ? latest : ((await facts.rolloutsAt?.(step)) ?? []),
    /** Whole batches of a recording, which stores the texts of only a few samples. */
    batches: facts.batches ?? [],
    /** What the answers of some steps of a recording earned. */
    paid: facts.paid ?? [],
    /** Folds one event into the view. Events about the session are ignored. */
    take(event: WorkerEvent | TrainerEvent): void {
      if (event.type === 'step') {
        held.put(event.record);
        records.value = [...history.steps];
      } else if (event.type === 'eval' || event.type === 'alert') {
        addEvent(history, event);
        evaluations.value = [...history.evals];
        alerts.value = [...history.alerts];
      } else if (event.type === 'rollouts' && event.rollouts.length > 0) {
        held.putRollouts(event.step);
        latest = event.rollouts;
        rolloutSteps.value = [...steps];
      } else if (event.type === 'progress') {
        progress.value = event;
      }
    },
  };
}

export function viewOfKept(origin: Origin, kept: KeptRun, facts: Facts = {}): RunView {
  const { id, config } = kept.record;
  return createRunView(origin, config, kept, { ...facts, id, backend: backendOf(kept.record) });
}

export const stepsTaken = (view: RunView): number => view.records.value.at(-1)?.step ?? 0;
