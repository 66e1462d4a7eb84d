/** Below the plots of a run: the visitor's guess against how it ended, and what leads to why. */
import { signal } from '@preact/signals';
import { isLoss, standingOf } from '../../run/verdict/ending';
import { GuessMark } from '../ladder/came';
import { guesses, type Guess } from '../ladder/ladder';
import type { Page } from '../page';
import type { RunView } from '../session/run-view';
import { isHidden } from '../shell/hiding';
import { endingSentence, verdictsOf } from '../verdict/ending-words';

/** By the ids of runs: a guess stands until the page is left. */
const made = signal<Readonly<Record<string, Guess>>>({});

/** @param props.onUpdate - shows what the update did */
export function VerdictLine({ page, view, onUpdate }: { page: Page; view: RunView; onUpdate: () => void }) {
  const standing = standingOf(verdictsOf(view.evaluations.value));
  const isOver = standing !== null && !standing.provisional;
  const guess = view.id === null ? undefined : made.value[view.id];
  const told = view.origin === 'recording' ? view.config.preset : view.id;
  return (
    <section
      class={`verdict-line spread ${isOver && isLoss(standing.ending) ? 'is-lost' : ''}`}
      aria-label="Verdict"
    >
      {isOver ? (
        <p>
          <b>{endingSentence(standing)}.</b>
          {guess === undefined ? null : (
            <>
              {' '}
              Your guess: {guess}
              <GuessMark guess={guess} ending={standing.ending} />
            </>
          )}
        </p>
      ) : (
        <p role="radiogroup" aria-labelledby="your-guess">
          <span id="your-guess">Your guess:</span>{' '}
          {guesses.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="guess"
                checked={guess === choice}
                disabled={view.id === null} // of a run that is being prepared
                onChange={() => {
                  if (view.id !== null) made.value = { ...made.value, [view.id]: choice };
                }}
              />{' '}
              {choice}
            </label>
          ))}
        </p>
      )}
      {isHidden(page, 'sampled') ? null : (
        <div class="actions">
          {isHidden(page, 'first-and-now') ? null : (
            <button
              type="button"
              disabled={standing === null || told === null || (page.classroom.value !== null && !isOver)}
              onClick={() => told !== null && page.places.go({ name: 'why', id: told })}
            >
              Why?
            </button>
          )}
          <button type="button" onClick={onUpdate}>
            What the update did
          </button>
        </div>
      )}
    </section>
  );
}
