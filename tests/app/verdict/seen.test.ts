import { describe, expect, it } from 'vitest';
import { seenWords } from '../../../src/app/verdict/seen';
import { readRecording } from '../../fixtures/recordings';

function verdictOf(preset: string) {
  return readRecording(preset).evals.at(-1)!.verdict!;
}

describe('what was seen of a run', () => {
  it('stands beside every ending, and says why one is not sure', () => {
    expect(seenWords(verdictOf('ladder-12k'))).toBe(
      '20 → 0 words; hard questions 28 → 8 %; true thinking 8 → 0 %: little to lose',
    );
    expect(seenWords(verdictOf('ladder-25k'))).toBe(
      '20 → 20 words; hard questions 88 → 69 %; true thinking 84 → 62 %',
    );
    const open = verdictOf('ladder-398k');
    expect(seenWords(open)).toBe(
      'hard questions 82 → 48 %, 59 % of them left (49 to 68 %): too near half to tell; true thinking 82 → 29 %, halved',
    );
    const wrong = { ...open.wrong!, ratio: { value: 0.6, low: 0.55, high: 0.7 } };
    expect(seenWords({ ...open, wrong })).toMatch(
      /, 60 % of them left \(55 to 70 %\): not halved, not kept;/,
    );
  });

  it('names the number that is too small', () => {
    const verdict = verdictOf('ladder-398k');
    expect(seenWords({ ...verdict, wrong: { ...verdict.wrong!, count: 6 } })).toBe(
      '20 → 19 words; 6 hard questions in the test: 30 are needed',
    );
  });
});
