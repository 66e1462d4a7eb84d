/** The visitor's guesses of the endings. */
import { guessResult, type Guess } from '../../run/verdict/guess';
import type { Page } from '../page/page';
import { Choices } from '../ui/choices';
import type { Shown } from './shown';

const names: Readonly<Record<Guess, string>> = { keeps: 'keeps', fakes: 'fakes', stops: 'stops' };

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
          guess: {guess} {result === null ? null : <b class={result}>({result})</b>}
        </span>
      )}
      {ending === null || onWhy === undefined ? null : (
        <button onClick={onWhy}>
          Why?<span class="visually-hidden"> the {rung.name} model</span>
        </button>
      )}
    </div>
  );
}
