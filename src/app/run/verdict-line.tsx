/** The visitor's guess, the ending of the run, and buttons that lead to the reasons. */
import { stepsWords } from '../ui/numbers';
import { isLoss, standingOf } from '../../run/verdict/ending';
import { GuessMark } from '../ladder/came';
import { guesses, type Guess } from '../page/ladder';
import type { Page } from '../page/page';
import { stepsTaken, type RunView } from '../session/run-view';
import { hidesEnding } from '../page/hiding';
import { endingSentence } from '../words/ending-words';
import { seenWords } from '../words/seen';
import { awaitsGuess, canGuess, guessOf, lastStepBeforeGuess, makeGuess, skipGuess } from '../page/hiding';

const guessWords: Record<Guess, string> = {
  keeps: 'keeps reasoning',
  fakes: 'only seems to reason',
  stops: 'stops reasoning',
};

/**
 * Shows only the guess while the verdict is hidden.
 *
 * @param props.onUpdate - shows what the update did
 */
export function VerdictLine({ page, view, onUpdate }: { page: Page; view: RunView; onUpdate: () => void }) {
  const isEndingHidden = hidesEnding(page);
  const isRecording = view.origin === 'recording';
  if (isEndingHidden && isRecording) return null; // a recording with a hidden ending takes no guess
  const evaluations = view.evaluations.value;
  const standing = isEndingHidden ? null : standingOf(evaluations);
  const isEnded = standing !== null && !standing.provisional;
  const isOver = isEnded && !awaitsGuess(view);
  const first = evaluations.at(0)?.report;
  // Without hard questions the verdict cannot be measured, so there is nothing to guess.
  if (first !== undefined && first.shortcutWrong.count === 0 && !isEnded) return null;
  const guess = guessOf(view);
  const told = isRecording ? view.config.preset : view.id;
  return (
    <section
      class={`verdict-line spread ${isOver && isLoss(standing.ending) ? 'is-lost' : ''}`}
      aria-label={isEndingHidden ? 'Guess' : 'Verdict'}
    >
      {isOver ? (
        <p>
          <b>{endingSentence({ ...standing, kept: null })}.</b>
          {guess === undefined ? null : (
            <>
              {' '}
              Your guess: it {guessWords[guess]}
              <GuessMark guess={guess} ending={standing.ending} />
            </>
          )}{' '}
          <span class="facts">{seenWords(evaluations.at(-1)?.verdict ?? null)}</span>
        </p>
      ) : (
        <p role="radiogroup" aria-labelledby="your-guess">
          <span id="your-guess">Your guess: the model</span>{' '}
          {guesses.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="guess"
                checked={guess === choice}
                disabled={!canGuess(view)}
                onChange={() => makeGuess(view, choice)}
              />{' '}
              {guessWords[choice]}
            </label>
          ))}
          {page.lesson.value && guess === undefined && stepsTaken(view) > lastStepBeforeGuess(view)
            ? `The page shows the first ${lastStepBeforeGuess(view) === 1 ? 'step' : stepsWords(lastStepBeforeGuess(view))} until you guess.`
            : null}
          {isEnded ? (
            <button type="button" onClick={() => skipGuess(view)}>
              Show the verdict
            </button>
          ) : null}
        </p>
      )}
      <div class="actions">
        {isEndingHidden ? null : (
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
    </section>
  );
}
