/** Under the page's heading while a run is on show: its answer, and whether the run repeats the recording. */
import { standingOf } from '../../run/ending';
import { headingAnswer, verdictsOf } from '../verdict/ending-words';
import type { Recording } from '../start/recording';
import type { RunView } from '../session/run-view';
import { repeatWords } from './repeat-words';

/** @param view null while the run is being prepared and the recording still stands below */
export function RunAnswer({ view, recording }: { view: RunView | null; recording: Recording | null }) {
  if (view === null) {
    return (
      <p class="run-answer">
        Your run is being prepared.
        {recording === null ? '' : ' Until it begins, what stands below is the recording.'}
      </p>
    );
  }
  return (
    <p class="run-answer">
      <b>{headingAnswer(standingOf(verdictsOf(view.evaluations.value)))}</b>{' '}
      {recording === null || view.origin === 'recording' ? '' : repeatWords(view, recording)}
    </p>
  );
}
