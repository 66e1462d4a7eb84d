/** One answer of a step or of a test to show for all: a typical one to a hard question. */
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/record/hard-rollout';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { questionSentence } from './sentences';

/** A completion to a hard question, where there is one: sampled in practice, or greedy in the test. */
export interface Answer {
  step: number;
  prompt: string;
  thinks: string;
  /** Null where it could not be read. */
  answers: string | null;
  correct: boolean;
  /** Its question is hard. */
  isHard: boolean;
}

/** The answers of a step or of a test, of which a typical one is shown. */
export interface AnswerPool {
  rollouts: readonly Rollout[];
  /** Words of thinking, of all answers of the step or of the test. */
  mean: number;
  /** Of its answers to hard questions the fraction that is right. */
  right: number;
}

/** Of these answers, with the fraction of right ones read off them. */
export function answerPool(rollouts: readonly Rollout[], mean: number): AnswerPool {
  const hard = hardOf(rollouts);
  return { rollouts, mean, right: hard.filter(({ reward }) => reward.correct).length / hard.length };
}

/** Those to hard questions, or else all. */
function hardOf(rollouts: readonly Rollout[]): readonly Rollout[] {
  const hard = rollouts.filter(isHardRollout);
  return hard.length > 0 ? hard : rollouts;
}

/**
 * How untypical an answer is: one that is right where most answers to hard questions are wrong, or the other way round, is
 * more so than any other; then it is the words of thinking between its number and the mean.
 */
function oddity({ reward }: Rollout, { mean, right }: AnswerPool): number {
  const words = Math.abs((reward.think.match(/\S+/g)?.length ?? 0) - mean);
  return reward.correct === right >= 0.5 ? words : words + 1e6;
}

/** The question to which the answers of all are least untypical together; undefined where they share none. */
export function sharedQuestion(all: readonly AnswerPool[]): string | undefined {
  let least = Infinity;
  let best: string | undefined;
  for (const { prompt } of hardOf(all[0].rollouts)) {
    const far = all.reduce((sum, one) => {
      const same = hardOf(one.rollouts).filter((other) => other.prompt === prompt);
      return sum + Math.min(...same.map((other) => oddity(other, one)));
    }, 0);
    if (far < least) [least, best] = [far, prompt];
  }
  return best;
}

/**
 * The most typical answer to one hard question, the first of several.
 *
 * @param asked - the question; else the first
 * @returns null where there is none of a swap story
 */
export function answerOf(pool: AnswerPool, asked?: string): Answer | null {
  const hard = hardOf(pool.rollouts);
  const prompt = asked ?? hard.at(0)?.prompt;
  const [rollout] = hard
    .filter((one) => one.prompt === prompt)
    .sort((one, other) => oddity(one, pool) - oddity(other, pool));
  if (rollout === undefined || readSwapStory(rollout.prompt) === null) return null;
  const { think, answer, correct } = rollout.reward;
  return {
    step: rollout.step,
    prompt: rollout.prompt,
    thinks: think.trim(),
    answers: answer,
    correct,
    isHard: isHardRollout(rollout),
  };
}

/** What somebody is asked in a story; empty where it is none of the swap world. */
export function questionOf({ prompt }: Answer): string {
  const story = readSwapStory(prompt);
  return story === null ? '' : questionSentence(story);
}
