import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guessSentence, guessWords } from '../../../src/app/words/guess-words';
import { endings } from '../../../src/run/verdict/ending';
import { guesses, guessResult, rightGuess } from '../../../src/run/verdict/guess';

describe('a guess', () => {
  it('is right or wrong by every ending, or by none of the guesses', () => {
    const results = endings.map((ending) => guesses.map((guess) => guessResult(guess, ending)).join(' '));
    expect(results).toEqual([
      'right wrong wrong', // thinks better
      'right wrong wrong', // keeps thinking
      'right wrong wrong', // thinks less
      'wrong right wrong', // right answers, thinking no longer true
      'wrong right wrong', // goes on writing, no longer thinks
      'wrong wrong right', // stops thinking
      'open open open', // had little to lose
      'open open open', // too close to call
      'open open open', // not measured
    ]);
  });

  it('has a sentence that names the right guess', () => {
    expect(guessSentence('keeps', 'keeps thinking')).toBe('The guess “mostly keeps reasoning” is right.');
    expect(guessSentence('keeps', 'stops thinking')).toBe(
      'The guess “mostly keeps reasoning” is wrong: “stops reasoning” is right.',
    );
    expect(guessSentence('keeps', 'too close to call')).toMatch(/neither right nor wrong: .* fits no guess/);
  });

  it('is explained for every ending', () => {
    const faq = readFileSync('docs/faq.md', 'utf8');
    for (const ending of endings) {
      const right = rightGuess[ending];
      expect(faq).toContain(`| ${ending} | ${right === null ? 'none' : guessWords[right]} |`);
    }
  });
});
