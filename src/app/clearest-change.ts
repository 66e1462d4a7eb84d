/** The questions by which a run's change is seen best, in the order in which they are shown. */
import type { Rollout } from '../run/rollout-record';
import type { Evaluation } from '../run/evaluation';

/** One question, answered greedily at two evaluations. */
export interface AnsweredTwice {
  before: Rollout;
  after: Rollout;
}

/** The questions that were asked at both. */
export function answeredTwice(first: Evaluation, now: Evaluation): AnsweredTwice[] {
  return first.report.samples.flatMap((before) => {
    const after = now.report.samples.find((sample) => sample.itemId === before.itemId);
    return after === undefined ? [] : [{ before, after }];
  });
}

/** What became of the answer. */
export type Change = 'became wrong' | 'became right' | 'stayed right' | 'stayed wrong';

export function changeOf({ before, after }: AnsweredTwice): Change {
  if (before.reward.correct) return after.reward.correct ? 'stayed right' : 'became wrong';
  return after.reward.correct ? 'became right' : 'stayed wrong';
}

function isShortcutWrong({ shortcutAnswer, goldAnswer }: Rollout): boolean {
  return shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
}

const truths = ({ reward }: Rollout): number =>
  reward.trace?.statements.filter(({ verdict }) => verdict === 'true').length ?? 0;

/** Where the shortcut is wrong comes first, since only there does it differ from reasoning; then what has changed most in true statements. */
function clarity({ before, after }: AnsweredTwice): number {
  return 100 * Number(isShortcutWrong(before)) + Math.abs(truths(after) - truths(before));
}

/** First one that became wrong and one that became right, the clearer of the two before the other; then all else that changed; then what did not. */
export function byClarity(questions: readonly AnsweredTwice[]): AnsweredTwice[] {
  const sorted = questions.toSorted((one, other) => clarity(other) - clarity(one));
  const changed = sorted.filter((question) => changeOf(question).startsWith('became'));
  const heads = (['became wrong', 'became right'] as const)
    .flatMap((change) => changed.find((question) => changeOf(question) === change) ?? [])
    .sort((one, other) => clarity(other) - clarity(one));
  return [...new Set([...heads, ...changed, ...sorted])];
}
