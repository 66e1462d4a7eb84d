/** Questions answered at two evaluations, ordered by how clearly the answers differ. */
import type { Evaluation } from '../record/evaluation';
import type { Rollout } from '../record/rollout-record';
import { isHardRollout } from '../record/rollouts';

/** One question with its greedy answers at two evaluations. */
export interface AnsweredTwice {
  before: Rollout;
  after: Rollout;
}

export function answeredTwice(first: Evaluation, now: Evaluation): AnsweredTwice[] {
  return first.report.samples.flatMap((before) => {
    const after = now.report.samples.find((sample) => sample.itemId === before.itemId);
    return after === undefined ? [] : [{ before, after }];
  });
}

type Change = 'became wrong' | 'became right' | 'stayed right' | 'stayed wrong';

export function changeOf({ before, after }: AnsweredTwice): Change {
  if (before.reward.correct) return after.reward.correct ? 'stayed right' : 'became wrong';
  return after.reward.correct ? 'became right' : 'stayed wrong';
}

const truths = ({ reward }: Rollout): number =>
  reward.trace?.statements.filter(({ verdict }) => verdict === 'true').length ?? 0;

/** Ranks hard questions first, since only they separate reasoning from the shortcut, and then by the change in true statements. */
function clarity({ before, after }: AnsweredTwice): number {
  return 100 * Number(isHardRollout(before)) + Math.abs(truths(after) - truths(before));
}

/**
 * Sorts by clarity. The clearest question that became wrong and the clearest that became right come first, then the
 * other changed ones, then the unchanged ones.
 */
export function byClarity(questions: readonly AnsweredTwice[]): AnsweredTwice[] {
  const sorted = questions.toSorted((one, other) => clarity(other) - clarity(one));
  const changed = sorted.filter((question) => changeOf(question).startsWith('became'));
  const heads = (['became wrong', 'became right'] as const)
    .flatMap((change) => changed.find((question) => changeOf(question) === change) ?? [])
    .sort((one, other) => clarity(other) - clarity(one));
  return [...new Set([...heads, ...changed, ...sorted])];
}

/** Reasoning of an answer: `t` all statements true, `u` a statement that is not true, `n` none. */
export type Thought = 't' | 'u' | 'n';

export function thoughtOf({ reward: { think, trace } }: Rollout): Thought {
  if (think.trim() === '' || trace?.statements.length === 0) return 'n';
  return trace !== null && trace.statements.every(({ verdict }) => verdict === 'true') ? 't' : 'u';
}
