/** Rollouts of the step chosen by the scrubber, and the update computed from them. */
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AlgorithmName } from '../../objective/algorithm';
import type { RunView } from '../session/run-view';
import { chooseStep } from '../update/prompt-groups';
import { batchOf } from '../../run/recording/step-batch';
import { useFound } from '../ui/use-found';
import { SamplesPanel } from '../update/samples-panel';
import { UpdatePanel } from '../update/update-panel';

interface StepPanelProps {
  /** The way from the step's rewards to its advantages, or the samples of one prompt. */
  shows: 'update' | 'samples';
  view: RunView;
  /** Last step to show; null if no step is chosen and the run is not training. */
  until: number | null;
  onStep: (step: number) => void;
  algorithm: Signal<AlgorithmName | null>;
  /** Receives the step that the panel has chosen as an example; null while it shows none. */
  example?: Signal<number | null>;
}

export function StepPanel(props: StepPanelProps) {
  const { shows, view, until, onStep, algorithm, example } = props;
  const steps = view.rolloutSteps.value;
  const step = until === null ? null : (steps.findLast((sampled) => sampled <= until) ?? null);
  const latest = view.latestRollouts.value;
  const find = async () => {
    if (step === null) return until === null ? chooseStep(steps, view.rolloutsAt) : null;
    return { rollouts: latest[0]?.step === step ? latest : await view.rolloutsAt(step), reason: null };
  };
  const found = useFound(find, [view, step, until === null, steps.length > 0]);
  const { rollouts, reason } = found ?? { rollouts: [], reason: null };
  const exampleStep = reason !== null ? rollouts[0].step : null;
  useEffect(() => {
    if (example === undefined) return;
    example.value = exampleStep;
    return () => void (example.value = null);
  }, [exampleStep]);
  if (until !== null && step === null) return <BeforeSteps first={steps.at(0) ?? null} onStep={onStep} />;
  if (rollouts.length === 0) return null;
  const at = rollouts[0].step;
  const last = steps.at(-1);
  const why =
    reason !== null ? (
      <p class="explain">
        Step {at} was chosen by the page as an example: {reason}.{' '}
        {last === undefined || at === last ? null : (
          <button class="inline" onClick={() => onStep(last)}>
            Show the last one
          </button>
        )}
      </p>
    ) : until === null || until === at ? null : (
      <p class="explain">
        Samples are kept of some steps only: of those up to step {until} this is the last.
      </p>
    );
  const record = view.records.value.find(({ step }) => step === at) ?? null;
  const Panel = shows === 'update' ? UpdatePanel : SamplesPanel;
  return (
    <Panel
      {...{ rollouts, why, algorithm }}
      isExample={reason !== null}
      config={view.config}
      batch={view.batches.find((batch) => batch.step === at) ?? batchOf(rollouts, view.config, record)}
      record={record}
    />
  );
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
