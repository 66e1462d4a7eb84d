/** Why a model of the ladder ended as it did: the verdict with its reason, a question then and now, and an update as dots. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AlgorithmName } from '../../objective/algorithm';
import { standingOf } from '../../run/verdict/ending';
import type { Page } from '../page';
import { Scrubber } from '../run/scrubber';
import { StepPanel } from '../run/step-panel';
import { stepsTaken } from '../session/run-view';
import { FirstAndNow } from '../story/rollouts';
import { endingSentence, verdictsOf } from './ending-words';
import { VerdictPanel } from './verdict';

export function WhyPage({ page: { session, places }, id }: { page: Page; id: string }) {
  const at = useSignal<number | null>(null);
  const algorithm = useSignal<AlgorithmName | null>(null);
  useEffect(() => void session.refresh().then(() => session.open(id)), [id]); // another worker may have trained it
  const view = session.shown.value;
  if (view === null || view.id !== id) return <h1 tabIndex={-1}>Why?</h1>;
  const taken = stepsTaken(view);
  const evaluations = view.evaluations.value;
  const standing = standingOf(verdictsOf(evaluations));
  return (
    <div class="why-page">
      <div class="panel-head">
        <h1 tabIndex={-1}>{standing === null ? 'Not judged' : endingSentence(standing)}. Why?</h1>
        <div class="actions">
          <button type="button" onClick={() => places.go({ name: 'ladder' })}>
            Back to the three
          </button>
          <button type="button" onClick={() => places.go({ name: 'run' })}>
            All of this run
          </button>
        </div>
      </div>
      <h2 class="visually-hidden">Verdict</h2>
      <VerdictPanel evaluations={evaluations} reward={view.config.reward} isReasonOpen />
      <FirstAndNow evaluations={evaluations} at={at.value ?? taken} />
      <StepPanel
        shows="update"
        view={view}
        until={at.value}
        load={(step) => session.drawnRollouts(id, step)}
        recorded={() => null}
        onStep={(step) => (at.value = step)}
        algorithm={algorithm}
      />
      <Scrubber at={at} taken={taken} steps={view.config.steps} isRunning={false} />
    </div>
  );
}
