/** The visitor's guess of how each model ends, and then what came, with what was seen of it. */
import type { Ending } from '../../run/verdict/ending';
import type { Page } from '../page';
import { later } from '../ui/later';
import { Help } from './help';
import { guesses, type Guess } from './ladder';
import type { LadderShown } from './shown';

const Seen = later(() => import('../verdict/seen').then((part) => part.Seen));

const guessOf: Partial<Record<Ending, Guess>> = {
  'stops thinking': 'stops',
  'goes on writing, no longer thinks': 'fakes',
  'keeps thinking': 'keeps',
  'thinks better': 'keeps',
};

export function Guesses({ page: { ladder }, all }: { page: Page; all: LadderShown }) {
  const { shown, isTold, isLive } = all;
  const made = ladder.guesses.value;
  return (
    <section class="guesses" aria-label="Your guess">
      <h2>
        {!isTold
          ? 'Your guess: thinking…'
          : Object.keys(made).length === 0
            ? 'What was seen'
            : 'Your guess, and what came'}{' '}
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
      {shown.map(({ rung, live, ending, verdict }) => {
        const came = ending === null ? undefined : guessOf[ending];
        const guess = made[rung.name];
        const name = (
          <span class="guess-name" style={{ color: `var(${rung.colour})` }}>
            {rung.name}
          </span>
        );
        return isTold ? (
          <div key={rung.name} class="came">
            <p>
              {name}
              {ending === null ? null : <b class="narrow">{ending}</b>}
              <span>
                {guess === undefined ? null : <span class="narrow">guessed </span>}
                {guess}
                {guess === undefined || came === undefined ? null : (
                  <b class={guess === came ? 'right' : 'wrong'}>{guess === came ? ' ✓' : ' ✗'}</b>
                )}
              </span>
            </p>
            <p class="quiet">
              {isLive && live === undefined ? 'recorded, too few cores here: ' : ''}
              <Seen verdict={verdict} />
            </p>
          </div>
        ) : (
          <p key={rung.name} role="radiogroup" aria-label={rung.name}>
            {name}
            {guesses.map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name={`guess-${rung.name}`}
                  checked={guess === one}
                  onChange={() => {
                    void Seen.ready(); // what comes moves nothing then
                    ladder.guesses.value = { ...made, [rung.name]: one };
                  }}
                />
                <span class="visually-hidden">{one}</span>
              </label>
            ))}
          </p>
        );
      })}
      {isTold || isLive ? null : (
        <p>
          <b>Guess to see more.</b>
        </p>
      )}
    </section>
  );
}
