import { describe, expect, it } from 'vitest';
import { kindOf, paidWords } from '../../../src/app/verdict/what-paid';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { readRecording } from '../../fixtures/recordings';

const { rollouts } = readRecording('ladder-12k');
const thinks = rollouts.find((rollout) => kindOf(rollout) === 'untrue')!;
const { trace } = thinks.reward;

/** So many answers of a kind, each paid so much. */
function answers(kind: ReturnType<typeof kindOf>, count: number, total: number): Rollout[] {
  const think = kind === 'nothing' ? '' : thinks.reward.think;
  const statements = trace!.statements.map((one) => ({ ...one, verdict: 'true' as const }));
  const own = kind === 'true' ? { ...trace!, statements } : trace;
  const made = { ...thinks, reward: { ...thinks.reward, think, total, trace: own } };
  expect(kindOf(made)).toBe(kind);
  return Array.from({ length: count }, () => made);
}

const atStep = (step: number, ...rollouts: Rollout[][]): Rollout[] =>
  rollouts.flat().map((rollout) => ({ ...rollout, step }));

describe('what was paid', () => {
  it('tells what thinking earned in the first steps, and whether the model went that way', () => {
    const half = [answers('untrue', 16, 1), answers('nothing', 16, 2.5)];
    const early = [...atStep(1, ...half), ...atStep(20, answers('untrue', 32, 1), answers('nothing', 32, 2))];
    const fewer = atStep(60, answers('untrue', 4, 1), answers('nothing', 28, 2.5));
    expect(paidWords(early, fewer)).toEqual([
      'In the first 20 steps thinking earned 1 on average, not thinking 2.2: so it came to think less often, 50 % of its answers at first and 13 % at last.',
    ]);
    const more = atStep(60, answers('untrue', 28, 1), answers('nothing', 4, 2.5));
    expect(paidWords(early, more)[0]).toContain('yet it came to think more often');
  });

  it('says where being true hardly pays, and nothing of a few answers', () => {
    const last = [...answers('true', 20, 3), ...answers('untrue', 20, 2.8)];
    expect(paidWords(answers('true', 20, 3), last)).toEqual([
      'At last untrue thinking earned 2.8, true thinking 3: where a shortcut gives most answers, being true hardly pays.',
    ]);
    const poor = [...answers('true', 20, 3), ...answers('untrue', 20, 1)];
    expect(paidWords(answers('true', 20, 3), poor)).toEqual([]);
    expect(paidWords([...answers('true', 5, 3), ...answers('nothing', 5, 1)], [])).toEqual([]);
  });
});
