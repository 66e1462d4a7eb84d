import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endings } from '../../../src/run/verdict/ending';
import { guessResult, rightGuess } from '../../../src/run/verdict/guess';

describe('a guess', () => {
  it('is right or wrong by every ending, or by none of the guesses', () => {
    const guesses = ['keeps', 'fakes', 'stops'] as const;
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

  it('is explained for every ending', () => {
    const faq = readFileSync('docs/faq.md', 'utf8');
    for (const ending of endings) expect(faq).toContain(`| ${ending} | ${rightGuess[ending] ?? 'none'} |`);
  });
});
