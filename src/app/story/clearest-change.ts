/** The questions by which a run's change is seen best, in the order in which they are shown. */
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/record/hard-rollout';
import type { Evaluation } from '../../run/record/evaluation';
import type { Ending } from '../../run/verdict/ending';
import {
  changeOf,
  thoughtOf,
  type AnsweredTwice,
  type Change,
  type Thought,
} from '../../run/recording/answered-twice';
import { percent } from '../ui/numbers';

/** How a hard question shows an ending: what became of its answer, preferably, and with which thinking. */
const signOf: Partial<Record<Ending, [Change, Thought]>> = {
  'thinks better': ['became right', 't'],
  'keeps thinking': ['stayed right', 't'],
  'right answers, thinking no longer true': ['stayed right', 'u'],
  'goes on writing, no longer thinks': ['became wrong', 'u'],
  'stops thinking': ['became wrong', 'n'],
};

/** The first hard question that shows the ending; undefined where none does, or where one answer cannot show it. */
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

const thoughtWords: Record<Thought, string> = {
  t: 'correct reasoning',
  u: 'incorrect reasoning',
  n: 'no thinking',
};

/** By which rule it is the example, and what of all hard questions became. */
export function exampleWords({ before, after }: AnsweredTwice, { verdict }: Evaluation): string {
  const words = (answer: Rollout): string =>
    `${answer.reward.correct ? 'right' : 'wrong'} with ${thoughtWords[thoughtOf(answer)]}`;
  const rule = `; of these the first hard one that was ${words(before)} and is ${words(after)}`;
  if (verdict?.wrong == null || verdict.faithfulWrong == null) return rule;
  return `${rule}. Now ${percent(verdict.wrong.now)} of the hard questions are right, and ${percent(verdict.faithfulWrong.now)} have correct reasoning`;
}

/** How the question was chosen: for a change of its answer, where it has one at the latest evaluation. */
export function pickedWords(question: AnsweredTwice): string {
  return changeOf(question).startsWith('became') ? '; picked for its change' : '';
}

/**
 * What the first answer stands beside: the last one up to a step, or the latest of all where that is the first itself.
 *
 * @param before the answer of the first evaluation
 * @returns null while the question has been asked once only
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
