/** Rollouts of the step chosen by the scrubber, and the update computed from them. */
import type { RunView } from '../session/run-view';
import { batchOf } from '../../run/recording/step-batch';
import { useFound } from '../ui/use-found';
import { SamplesPanel } from '../update/samples-panel';
import { UpdatePanel } from '../update/update-panel';

/**
 * @param props.shows - the way from the step's rewards to its advantages, or the samples of one prompt
 * @param props.until - last step to show
 */
export function StepPanel(props: { shows: 'update' | 'samples'; view: RunView; until: number }) {
  const { shows, view, until } = props;
  const steps = view.rolloutSteps.value;
  const step = steps.findLast((sampled) => sampled <= until) ?? steps.at(0);
  const rollouts =
    useFound(async () => (step === undefined ? [] : view.rolloutsAt(step)), [view, step]) ?? [];
  if (step === undefined) return <p class="empty">No samples are kept yet.</p>;
  if (rollouts.length === 0) return null;
  const at = rollouts[0].step;
  const words = `No samples are kept of step ${until}: this is step ${at}.`;
  const why = until === at || step !== at ? null : <p class="explain">{words}</p>;
  const record = view.records.value.find(({ step }) => step === at) ?? null;
  const Panel = shows === 'update' ? UpdatePanel : SamplesPanel;
  return (
    <Panel
      {...{ rollouts, why }}
      config={view.config}
      batch={view.batches.find((batch) => batch.step === at) ?? batchOf(rollouts, view.config, record)}
    />
  );
}
