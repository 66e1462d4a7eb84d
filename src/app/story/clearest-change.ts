/** Chooses the example question of an ending, and the two answers to show. */
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/verdict/hard-rollout';
import type { Evaluation } from '../../run/record/evaluation';
import type { Ending } from '../../run/verdict/ending';
import {
  changeOf,
  thoughtOf,
  type AnsweredTwice,
  type Change,
  type Thought,
} from '../../run/recording/answered-twice';

/** How a hard question shows an ending: the preferred change of its answer, and the kind of thinking. */
const signOf: Partial<Record<Ending, [Change, Thought]>> = {
  'thinks better': ['became right', 't'],
  'keeps thinking': ['stayed right', 't'],
  'right answers, thinking no longer true': ['stayed right', 'u'],
  'goes on writing, no longer thinks': ['became wrong', 'u'],
  'stops thinking': ['became wrong', 'n'],
};

/** The first hard question that shows the ending; undefined if none does, or if a single answer cannot show it. */
export function exampleOf(questions: readonly AnsweredTwice[], ending: Ending): AnsweredTwice | undefined {
  const sign = signOf[ending];
  if (sign === undefined) return undefined;
  const [change, thought] = sign;
  const showing = questions.filter(
    ({ before, after }) =>
      isHardRollout(before) &&
      after.reward.correct === change.endsWith('right') &&
      thoughtOf(after) === thought,
  );
  const changed = showing.filter((question) => changeOf(question) === change);
  return changed.find(({ before }) => thoughtOf(before) === 't') ?? changed[0] ?? showing[0];
}

/**
 * Answer to compare with the first one: the last up to a step, or else the latest.
 *
 * @returns null while the question has been asked only once
 */
export function pairAt(
  evaluations: readonly Evaluation[],
  before: Rollout,
  step: number,
): { after: Rollout; step: number } | null {
  const answers = evaluations.slice(1).flatMap(({ report }) => {
    const after = report.samples.find(({ itemId }) => itemId === before.itemId);
    return after === undefined ? [] : [{ after, step: report.step }];
  });
  return answers.findLast((answer) => answer.step <= step) ?? answers.at(-1) ?? null;
}
