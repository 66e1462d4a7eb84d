/** Rollouts of the step chosen by the scrubber, and the update computed from them. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AlgorithmName } from '../../objective/algorithm';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunView } from '../session/run-view';
import { chooseStep, type ChosenStep } from '../update/choose-step';
import { batchOf, type StepBatch } from '../../run/recording/step-batch';
import { SamplesPanel } from '../update/samples-panel';
import { UpdatePanel } from '../update/update-panel';

export interface StepPanelProps {
  /** The way from the step's rewards to its advantages, or the samples of one prompt. */
  shows: 'update' | 'samples';
  view: RunView;
  /** Last step to show; null if no step is chosen and the run is not training. */
  until: number | null;
  load: (step: number) => Promise<readonly Rollout[]>;
  /** Batch of a recording's step; null otherwise. A recording stores the texts of only a few samples. */
  recorded: (step: number) => StepBatch | null;
  onStep: (step: number) => void;
  algorithm: Signal<AlgorithmName | null>;
  /** Receives the step that the panel has chosen as an example; null while it shows none. */
  example?: Signal<number | null>;
}

export function StepPanel(props: StepPanelProps) {
  const { shows, view, until, load, recorded, onStep, algorithm, example } = props;
  const shown = useSignal<readonly Rollout[]>([]);
  const chosen = useSignal<ChosenStep | null>(null);
  const steps = view.rolloutSteps.value;
  const step = until === null ? null : (steps.findLast((sampled) => sampled <= until) ?? null);
  const latest = view.latestRollouts.value;
  useEffect(() => {
    if (step !== null && latest[0]?.step === step) {
      shown.value = latest;
      chosen.value = null;
      return;
    }
    let wanted = true;
    const found =
      step !== null
        ? load(step).then((rollouts) => ({ rollouts, chosen: null }))
        : until === null
          ? chooseStep(steps, load)
          : null;
    void found?.then((choice) => {
      if (!wanted) return;
      shown.value = choice.rollouts;
      chosen.value = choice.chosen;
    });
    return () => {
      wanted = false;
    };
  }, [view, step, until === null, steps.length > 0]);
  const exampleStep = chosen.value === null ? null : shown.value[0].step;
  useEffect(() => {
    if (example === undefined) return;
    example.value = exampleStep;
    return () => void (example.value = null);
  }, [exampleStep]);
  if (until !== null && step === null) return <BeforeSteps first={steps.at(0) ?? null} onStep={onStep} />;
  if (shown.value.length === 0) return null;
  const at = shown.value[0].step;
  const Panel = shows === 'update' ? UpdatePanel : SamplesPanel;
  return (
    <Panel
      config={view.config}
      batch={recorded(at) ?? batchOf(shown.value, view.config.algorithm.maskTruncated)}
      rollouts={shown.value}
      record={recordOf(view.records.value, at)}
      chosen={chosen.value}
      until={until}
      onLatest={chosen.value === null || at === steps.at(-1) ? null : () => onStep(steps.at(-1)!)}
      algorithm={algorithm}
    />
  );
}

/** Record of a step by binary search; null if there is none. */
function recordOf(records: readonly StepRecord[], step: number): StepRecord | null {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records.at(middle)!.step < step) low = middle + 1;
    else high = middle;
  }
  const found = records.at(low);
  return found?.step === step ? found : null;
}

function BeforeSteps({ first, onStep }: { first: number | null; onStep: (step: number) => void }) {
  return (
    <section class="panel update" aria-labelledby="update">
      <h2 id="update">What this update did</h2>
      <p>
        Before the first step nothing is updated: this is the model as it starts. From step 1 on stands here
        what its completions earned, and what the update made of that.
      </p>
      {first === null ? null : (
        <div class="actions">
          <button onClick={() => onStep(first)}>Show step {first}</button>
        </div>
      )}
    </section>
  );
}
