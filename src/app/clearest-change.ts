/** The question by which a run's change is seen best: the first one that is shown of it. */
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

function isShortcutWrong({ shortcutAnswer, goldAnswer }: Rollout): boolean {
  return shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
}

const truths = ({ reward }: Rollout): number =>
  reward.trace?.statements.filter(({ verdict }) => verdict === 'true').length ?? 0;

/**
 * Where the shortcut is wrong comes first, since only there does it differ from reasoning; then an answer that has become
 * right or wrong; then what has changed most in true statements.
 *
 * @returns its index; 0 where there is none
 */
export function clearestChange(questions: readonly AnsweredTwice[]): number {
  const clarity = questions.map(
    ({ before, after }) =>
      100 * Number(isShortcutWrong(before)) +
      50 * Number(before.reward.correct !== after.reward.correct) +
      Math.abs(truths(after) - truths(before)),
  );
  return Math.max(0, clarity.indexOf(Math.max(...clarity)));
}
