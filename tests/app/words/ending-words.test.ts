import { describe, expect, it } from 'vitest';
import { seenWords } from '../../../src/app/words/ending-words';
import { readRecording } from '../../fixtures/recordings';

const verdictOf = (preset: string) => readRecording(preset).evals.at(-1)!.verdict!;

describe('what was seen of a run', () => {
  it('comes with every ending, and says how much reasoning is left', () => {
    expect(seenWords(verdictOf('ladder-12k'))).toMatch(
      /^20 → 0 tokens\. .* \(there was little at the start\)$/,
    );
    const kept = verdictOf('ladder-398k');
    expect(seenWords(kept, 'words')).toMatch(/^20 → 20 words\. Hard/);
    expect(seenWords(kept)).toBe(
      '20 → 20 tokens. Hard questions right: 91 → 73 %. Correct reasoning: 89 → 65 %, 73 % left (65 to 82 %)',
    );
    expect(seenWords({ ...kept, faithfulWrong: null })).toMatch(
      /: 91 → 73 %\. Its reasoning cannot be checked$/,
    );
    const byChance = { ...kept, conditions: { ...kept.conditions, aboveChance: false } };
    expect(seenWords(byChance)).toMatch(/: 89 → 65 % \(there was little at the start\)$/);
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
