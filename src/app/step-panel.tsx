/** What was sampled at the step that the scrubber stands on, and what the update made of it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Rollout } from '../run/rollout-record';
import type { RunView } from './run-view';
import { batchOf, type StepBatch } from './update/step-batch';
import { UpdatePanel } from './update/update-panel';

export interface StepPanelProps {
  view: RunView;
  /** Steps of the run so far up to which one looks. */
  until: number;
  load: (step: number) => Promise<readonly Rollout[]>;
  /** Of a recording, which keeps the texts of a few samples only. */
  recorded: (step: number) => StepBatch | null;
}

export function StepPanel({ view, until, load, recorded }: StepPanelProps) {
  const shown = useSignal<readonly Rollout[]>([]);
  const step = view.rolloutSteps.value.findLast((sampled) => sampled <= until) ?? null;
  const latest = view.latestRollouts.value;
  useEffect(() => {
    if (step === null) return;
    if (latest[0]?.step === step) {
      shown.value = latest;
      return;
    }
    let wanted = true;
    void load(step).then((rollouts) => {
      if (wanted) shown.value = rollouts;
    });
    return () => {
      wanted = false;
    };
  }, [view, step]);
  if (step === null || shown.value.length === 0) return null;
  const at = shown.value[0].step;
  return (
    <UpdatePanel
      config={view.config}
      batch={recorded(at) ?? batchOf(shown.value, view.config.algorithm.maskTruncated)}
      rollouts={shown.value}
      record={view.records.value.find((record) => record.step === at) ?? null}
    />
  );
}
