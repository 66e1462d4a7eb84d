/** How a model ended beside what the visitor had guessed, and what was seen of it: fetched when it is told. */
import type { Ending } from '../../run/verdict/ending';
import { seenWords } from '../verdict/seen';
import type { Guess } from './ladder';
import type { Shown } from './shown';

const guessOf: Partial<Record<Ending, Guess>> = {
  'stops thinking': 'stops',
  'goes on writing, no longer thinks': 'fakes',
  'keeps thinking': 'keeps',
  'thinks better': 'keeps',
};

/** Whether a guess has come true; nothing where it cannot be told. */
export function GuessMark({ guess, ending }: { guess: Guess; ending: Ending }) {
  const came = guessOf[ending];
  if (came === undefined) return null;
  const isRight = guess === came;
  return (
    <b class={isRight ? 'right' : 'wrong'}>
      {isRight ? ' ✓' : ' ✗'}
      <span class="visually-hidden">{isRight ? 'right' : 'wrong'}</span>
    </b>
  );
}

/** @param props.isReplaced - the recording stands for a run for which there are too few cores */
export function Came(props: { one: Shown; guess: Guess | undefined; isReplaced: boolean }) {
  const { one, guess, isReplaced } = props;
  const { rung, ending, verdict } = one;
  return (
    <div class="came">
      <p>
        <span class="guess-name" style={{ color: `var(${rung.colour})` }}>
          {rung.name}
        </span>
        {ending === null ? null : <b class="narrow">{ending}</b>}
        <span>
          {guess === undefined ? null : <span class="narrow">guessed </span>}
          {guess}
          {guess === undefined || ending === null ? null : <GuessMark guess={guess} ending={ending} />}
        </span>
      </p>
      <p class="quiet">
        {isReplaced ? 'recorded, too few cores here: ' : ''}
        {seenWords(verdict)}
      </p>
    </div>
  );
}
