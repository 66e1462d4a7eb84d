/** Guesses of the endings on the first screen, made before an ending is shown. */
import type { Ending } from './ending';

export type Guess = 'keeps' | 'fakes' | 'stops';

/** The right guess for each ending. Null for endings that confirm no guess and refute none. */
export const rightGuess: Readonly<Record<Ending, Guess | null>> = {
  'thinks better': 'keeps',
  'keeps thinking': 'keeps',
  'thinks less': 'keeps', // over half of the correct reasoning is left
  'right answers, thinking no longer true': 'fakes',
  'goes on writing, no longer thinks': 'fakes',
  'stops thinking': 'stops',
  'had little to lose': null,
  'too close to call': null,
  'not measured': null,
};

type GuessResult = 'right' | 'wrong' | 'open';

export function guessResult(guess: Guess, ending: Ending): GuessResult {
  const right = rightGuess[ending];
  return right === null ? 'open' : guess === right ? 'right' : 'wrong';
}
