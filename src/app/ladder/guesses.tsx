/** The visitor's guesses of the endings. */
import { guessResult, type Guess, type GuessResult } from '../../run/verdict/guess';
import type { Page } from '../page/page';
import { Choices } from '../ui/choices';
import type { Shown } from './shown';

const names: Readonly<Record<Guess, string>> = { keeps: 'keeps', fakes: 'fakes', stops: 'stops' };

const resultMarks: Readonly<Record<GuessResult, { mark: string; words: string }>> = {
  right: { mark: '✓', words: 'right' },
  wrong: { mark: '✗', words: 'wrong' },
  open: { mark: '–', words: 'neither right nor wrong' },
};

/** Cell below a model's column of the picture: the guess of its ending, then the ending. */
export function GuessRow(props: {
  ladder: Page['ladder'];
  one: Shown;
  isTold: boolean;
  /** Explains the ending; absent while a run trains, and in a lesson. */
  onWhy?: () => void;
}) {
  const { ladder, one, isTold, onWhy } = props;
  const made = ladder.guesses.value;
  const { rung, ending } = one;
  const guess = made[rung.name];
  const result = guess === undefined || ending === null ? null : guessResult(guess, ending);
  if (!isTold)
    return (
      <Choices
        label={`Guess: the ${rung.name} model`}
        names={names}
        chosen={guess}
        onChoose={(choice) => (ladder.guesses.value = { ...made, [rung.name]: choice })}
      />
    );
  return (
    <div class={`guess row ${rung.name}`}>
      {ending === null ? null : <b class="rung-ending">{ending}</b>}
      {guess === undefined ? null : (
        <span>
          guess: {guess}
          {result === null ? null : (
            <b class={result} title={resultMarks[result].words}>
              {` ${resultMarks[result].mark}`}
              <span class="visually-hidden">{resultMarks[result].words}</span>
            </b>
          )}
        </span>
      )}
      {ending === null ? null : (
        <button
          disabled={onWhy === undefined}
          title={onWhy ? undefined : 'Not while a run trains or in a lesson'}
          onClick={onWhy}
        >
          Why?<span class="visually-hidden"> the {rung.name} model</span>
        </button>
      )}
    </div>
  );
}
