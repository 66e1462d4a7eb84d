/** The visitor's guess of how a model ends, below its column of the picture. */
import { guesses } from '../page/ladder';
import type { Page } from '../page/page';
import { later } from '../ui/later';
import type { Shown } from './shown';

const GuessMark = later(() => import('./came').then((part) => part.GuessMark));

export function GuessRow({ page: { ladder }, one, isTold }: { page: Page; one: Shown; isTold: boolean }) {
  const made = ladder.guesses.value;
  const { rung, ending } = one;
  const guess = made[rung.name];
  if (isTold)
    return guess === undefined ? null : (
      <>
        Guess: {guess}
        {ending === null ? null : <GuessMark guess={guess} ending={ending} />}
      </>
    );
  return (
    <div class="guess" role="radiogroup" aria-label={`Guess: the ${rung.name} model`}>
      {guesses.map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            name={`guess-${rung.name}`}
            checked={guess === choice}
            onChange={() => {
              void GuessMark.ready(); // arrives before it is shown
              ladder.guesses.value = { ...made, [rung.name]: choice };
            }}
          />
          {choice}
        </label>
      ))}
    </div>
  );
}
