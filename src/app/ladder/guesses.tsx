/** The visitor's guess of how each model ends, and then what came, with what was seen of it. */
import type { Page } from '../page/page';
import { later } from '../ui/later';
import { Help } from './help';
import { guesses } from '../page/ladder';
import type { LadderShown } from './shown';

const Came = later(() => import('./came').then((part) => part.Came));
const Accuracies = later(() => import('./came').then((part) => part.Accuracies));

export function Guesses({ page: { ladder }, all }: { page: Page; all: LadderShown }) {
  const { shown, isTold, isLive } = all;
  const made = ladder.guesses.value;
  return (
    <section class="guesses stack" aria-label="Your guess">
      <h2>
        {!isTold
          ? 'Your guess: thinking…'
          : Object.keys(made).length === 0
            ? 'Seen in the test'
            : 'Your guess, and the test'}{' '}
        <Help about="the guess" />
      </h2>
      {isTold ? null : (
        <p class="choices" aria-hidden="true">
          <b class="guess-name" />
          {guesses.map((one) => (
            <span key={one}>{one}</span>
          ))}
        </p>
      )}
      {shown.map((one) => {
        const { rung, live } = one;
        const guess = made[rung.name];
        return isTold ? (
          <Came
            key={rung.name}
            one={one}
            guess={guess}
            isReplaced={isLive && live === undefined}
            earlier={ladder.earlier.value.flatMap((endings) => endings[rung.name] ?? [])}
          />
        ) : (
          <p key={rung.name} role="radiogroup" aria-label={rung.name}>
            <span class="guess-name" style={{ color: `var(--${rung.name})` }}>
              {rung.name}
            </span>
            {guesses.map((choice) => (
              <label key={choice}>
                <input
                  type="radio"
                  name={`guess-${rung.name}`}
                  checked={guess === choice}
                  onChange={() => {
                    void Came.ready(); // what comes moves nothing then
                    ladder.guesses.value = { ...made, [rung.name]: choice };
                  }}
                />
                <span class="visually-hidden">{choice}</span>
              </label>
            ))}
          </p>
        );
      })}
      {isTold ? <Accuracies shown={shown} /> : null}
      {isTold || isLive || shown.every(({ rung }) => made[rung.name] !== undefined) ? null : (
        <p>
          <b>Guess to see more.</b>
        </p>
      )}
    </section>
  );
}
