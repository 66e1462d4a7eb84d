/** Words for a guess of a run's ending, and for its result. */
import type { Ending } from '../../run/verdict/ending';
import { guessResult, rightGuess, type Guess, type GuessResult } from '../../run/verdict/guess';

export const guessWords: Readonly<Record<Guess, string>> = {
  keeps: 'mostly keeps reasoning',
  fakes: 'only seems to reason',
  stops: 'stops reasoning',
};

export const resultMarks: Readonly<Record<GuessResult, { mark: string; words: string }>> = {
  right: { mark: '✓', words: 'right' },
  wrong: { mark: '✗', words: 'wrong' },
  open: { mark: '–', words: 'neither right nor wrong' },
};

/** `The guess “stops reasoning” is wrong: “only seems to reason” is right.` */
export function guessSentence(guess: Guess, ending: Ending): string {
  const result = guessResult(guess, ending);
  const right = rightGuess[ending];
  const instead =
    right === null
      ? ': this ending fits no guess'
      : result === 'right'
        ? ''
        : `: “${guessWords[right]}” is right`;
  return `The guess “${guessWords[guess]}” is ${resultMarks[result].words}${instead}.`;
}
