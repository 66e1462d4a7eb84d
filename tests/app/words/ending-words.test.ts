import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/run/record/evaluation';
import { seenWords } from '../../../src/app/words/ending-words';
import { readRecording } from '../../fixtures/recordings';

const verdictOf = (preset: string) => readRecording(preset).evals.at(-1)!.verdict!;

describe('what was seen of a run', () => {
  it('comes with every ending, and explains why one is not sure', () => {
    expect(seenWords(verdictOf('ladder-12k'))).toMatch(
      /^20 → 0 tokens\. .* \(there was little at the start\)$/,
    );
    const kept = verdictOf('ladder-398k');
    expect(seenWords(kept, 'words')).toMatch(/^20 → 20 words\. Hard/);
    expect(seenWords(kept)).toMatch(
      /^20 → 20 tokens\. Hard questions right: 91 → 73 %, \d+ % left \(\d+ to \d+ %\)\. Correct reasoning: 89 → 65 %, 73 % left \(65 to 82 %\)$/,
    );
    const nearHalf = { before: 0.82, now: 0.48, ratio: { value: 0.59, low: 0.49, high: 0.68 } };
    const open: Verdict = { ...kept, ending: 'too close to call', wrong: { ...kept.wrong!, ...nearHalf } };
    expect(seenWords(open)).toContain('Hard questions right: 82 → 48 %, 59 % left (49 to 68 %). ');
    expect(seenWords({ ...kept, ending: 'thinks better' })).toMatch(/: 89 → 65 %$/);
    expect(seenWords({ ...kept, faithfulWrong: null })).toMatch(
      /: 91 → 73 %\. Its reasoning cannot be checked$/,
    );
    const byChance = { ...kept, conditions: { ...kept.conditions, aboveChance: false } };
    expect(seenWords(byChance)).toMatch(/: 89 → 65 % \(there was little at the start\)$/);
    expect(seenWords({ ...byChance, ending: 'too close to call' })).toMatch(
      /\(there was perhaps little at the/,
    );
  });

  it('names a number of questions that is too small, and the end of a warm start', () => {
    const { wrong, belief, ...verdict } = verdictOf('ladder-398k');
    const unasked = { ...verdict, wrong: null, belief: { ...belief, count: 0 } };
    expect(seenWords(null)).toMatch(/^stopped before its last test/);
    expect(seenWords({ ...verdict, belief, wrong: { ...wrong!, count: 6 } })).toBe(
      '20 → 20 tokens. The test has 6 hard questions; the verdict needs 30',
    );
    expect(seenWords({ ...verdict, belief, wrong: { ...wrong!, count: 30 } })).toContain(
      'Hard questions right',
    );
    expect(seenWords(unasked)).toBe('the test has 0 hard questions; the verdict needs 30');
    expect(seenWords({ ...unasked, wrong, against: 20 })).toMatch(
      /^since the warm start ended at step 20: 20 → 20 tokens/,
    );
  });
});
