/** The question that "Ask it yourself" begins with: one that training has changed the answer of, as far as the run has seen. */
import type { Evaluation } from '../../run/record/evaluation';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { answeredTwice, byClarity, type AnsweredTwice } from '../story/clearest-change';
import { draftOf, faultOf, type DraftStory } from './compose';

export interface Prefilled {
  draft: DraftStory;
  /** What the first evaluation has of it, and the latest. */
  answered: AnsweredTwice;
  /** What of the two differs; null where nothing does. */
  differs: 'answer' | 'thinking' | null;
  count: number;
}

const differences = {
  answer: ({ before, after }: AnsweredTwice) => before.reward.answer !== after.reward.answer,
  thinking: ({ before, after }: AnsweredTwice) => before.reward.think !== after.reward.think,
};

/**
 * The clearest question whose greedy answers differ; where there is none, one whose thinking does; else the first.
 *
 * @returns null before the second evaluation, and where none of its questions is a swap story
 */
export function prefilledQuestion(evaluations: readonly Evaluation[]): Prefilled | null {
  if (evaluations.length < 2) return null;
  const pairs = byClarity(answeredTwice(evaluations[0], evaluations[evaluations.length - 1]));
  const told = pairs.flatMap((answered) => {
    const story = readSwapStory(answered.before.prompt);
    if (story === null) return [];
    const draft = draftOf(story.world);
    return faultOf(draft) === null ? [{ draft, answered }] : [];
  });
  for (const differs of ['answer', 'thinking'] as const) {
    const found = told.find(({ answered }) => differences[differs](answered));
    if (found !== undefined) return { ...found, differs, count: told.length };
  }
  const [first] = told;
  return first === undefined ? null : { ...first, differs: null, count: told.length };
}

/** Why this question is asked first. */
export function prefilledWords({ answered: { before, after }, differs, count }: Prefilled): string {
  const said = ({ step, reward: { answer, correct } }: typeof before): string =>
    `“${answer ?? 'nothing that can be read'}” at step ${step}, ${correct ? 'right' : 'wrong'}`;
  if (differs === 'answer') {
    return `It begins with a question of the evaluations whose greedy answer training has changed: ${said(before)}; ${said(after)}.`;
  }
  const same =
    count === 1
      ? 'The one question that can be compared had the same answer'
      : `All ${count} questions that can be compared had the same answer`;
  return `${same} at step ${before.step} and at step ${after.step}: ${differs === 'thinking' ? 'this is one whose thinking differs' : 'expect no difference here'}.`;
}
