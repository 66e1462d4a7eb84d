/** The visitor's guess, the ending of the run, and buttons that lead to the reasons. */
import { stepsWords } from '../ui/numbers';
import { standingOf } from '../../run/verdict/ending';
import { guessResult, type Guess } from '../../run/verdict/guess';
import type { Places } from '../page/place';
import { Choices } from '../ui/choices';
import { stepsTaken, type RunView } from '../session/run-view';
import { endingSentence } from '../words/ending-words';
import { guessSentence, guessWords, resultMarks } from '../words/guess-words';
import { seenWords } from '../words/seen';
import { awaitsGuess, canGuess, lastStepBeforeGuess } from '../page/hiding';

/** Shows only the guess while the verdict is hidden. */
export function VerdictLine(props: {
  view: RunView;
  places: Places;
  isLesson: boolean;
  isOfClass: boolean;
  isEndingHidden: boolean;
  onGuess: (guess: Guess) => void;
  onUpdate: () => void;
}) {
  const { view, places, isLesson, isOfClass, isEndingHidden, onGuess, onUpdate } = props;
  const isRecording = view.origin === 'recording';
  if (isEndingHidden && isRecording) return null; // a recording with a hidden ending takes no guess
  const evaluations = view.evaluations.value;
  const standing = isEndingHidden ? null : standingOf(evaluations);
  const isEnded = standing !== null && !standing.provisional;
  const isOver = isEnded && !awaitsGuess(view);
  const first = evaluations.at(0)?.report;
  // Without hard questions the verdict cannot be measured, so there is nothing to guess.
  if (first !== undefined && first.shortcutWrong.count === 0 && !isEnded) return null;
  const guess = view.guess.value;
  const told = isRecording ? view.config.preset : view.id;
  return (
    <section class="verdict-line spread" aria-label={isEndingHidden ? 'Guess' : 'Verdict'}>
      {isOver ? (
        <p class="row">
          <b>{endingSentence({ ...standing, kept: null })}.</b>
          {guess === undefined ? null : (
            <>
              {' '}
              <span class={guessResult(guess, standing.ending)}>
                {resultMarks[guessResult(guess, standing.ending)].mark}{' '}
                {guessSentence(guess, standing.ending)}
              </span>
            </>
          )}{' '}
          <span class="facts">On test questions: {seenWords(evaluations.at(-1)?.verdict ?? null)}</span>
        </p>
      ) : (
        <div class="row">
          Your guess: it
          <Choices
            label="Your guess"
            names={guessWords}
            chosen={guess}
            // In a lesson a guess is final, since it shows the rest of the run.
            disabled={!canGuess(view) || (isLesson && guess !== undefined)}
            onChoose={onGuess}
          />
          {isLesson && guess === undefined && stepsTaken(view) > lastStepBeforeGuess(view)
            ? `The page shows the first ${lastStepBeforeGuess(view) === 1 ? 'step' : stepsWords(lastStepBeforeGuess(view))} until you guess. A guess is final.`
            : null}
          {isEnded ? (
            <button onClick={() => (view.isGuessSkipped.value = true)}>Show the verdict</button>
          ) : null}
        </div>
      )}
      <div class="actions">
        {isEndingHidden ? null : (
          <button
            disabled={standing === null || told === null || (isOfClass && !isOver)}
            onClick={() => told !== null && places.go({ name: 'why', id: told })}
          >
            Why?
          </button>
        )}
        <button onClick={onUpdate}>What the update did</button>
      </div>
    </section>
  );
}
