/** The ending of the run, and buttons that lead to the reasons. */
import { standingOf } from '../../run/verdict/ending';
import type { Places } from '../page/place';
import type { RunView } from '../session/run-view';
import { endingSentence } from '../words/ending-words';
import { seenWords } from '../words/seen';

export function VerdictLine(props: {
  view: RunView;
  places: Places;
  isEndingHidden: boolean;
  /** Skips the guess on the first screen, which the ending waits for; absent if it does not wait. */
  onSkip?: () => void;
  onUpdate: () => void;
}) {
  const { view, places, isEndingHidden, onSkip, onUpdate } = props;
  const evaluations = view.evaluations.value;
  const standing = isEndingHidden ? null : standingOf(evaluations);
  const id = view.origin === 'recording' ? view.config.preset : view.id;
  return (
    <section class="verdict-line spread" aria-label="Verdict">
      <p class="row">
        {standing === null ? (
          onSkip !== undefined ? (
            <>
              The ending waits for your guess on the first screen. <button onClick={onSkip}>Skip</button>
            </>
          ) : isEndingHidden ? (
            'The verdict comes after the last test.'
          ) : (
            'No verdict yet.'
          )
        ) : (
          <>
            <b>
              {standing.provisional ? 'So far: ' : ''}
              {endingSentence({ ...standing, kept: null })}.
            </b>{' '}
            <span class="facts">On test questions: {seenWords(evaluations.at(-1)?.verdict ?? null)}</span>
          </>
        )}
      </p>
      <div class="actions">
        {isEndingHidden ? null : (
          <button
            disabled={standing === null || id === null}
            onClick={() => id !== null && places.go({ name: 'why', id })}
          >
            Why?
          </button>
        )}
        <button onClick={onUpdate}>What the update did</button>
      </div>
    </section>
  );
}
