/** What the ladder shows of one model: its curves, an answer of each step, and how it ended. Of a live run or of its recording. */
import { standingOf, type Ending } from '../../run/verdict/ending';
import type { Evaluation } from '../../run/record/evaluation';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { isShortcutWrong } from '../../run/record/rollout-shortcut';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { mainMetrics } from '../charts/lines/charted-metrics';
import { smoothed, testCurve, type Curve } from '../charts/lines/curve';
import { questionSentence } from '../story/sentences';
import { verdictsOf } from '../words/ending-words';

/** From the smallest model to the largest; `colour` is a custom property of style.css. */
export const rungs = [
  { preset: 'ladder-12k', name: 'small', colour: '--small' },
  { preset: 'ladder-25k', name: 'middle', colour: '--middle' },
  { preset: 'ladder-398k', name: 'large', colour: '--large' },
] as const;

export type Rung = (typeof rungs)[number];

/** A completion to a question on which the shortcut is wrong, where there is one: sampled in practice, or greedy in the test. */
export interface Answer {
  step: number;
  prompt: string;
  thinks: string;
  /** Null where it could not be read. */
  answers: string | null;
  correct: boolean;
  /** Its question is one on which the shortcut is wrong. */
  isHard: boolean;
}

export type Curves = ReturnType<typeof curvesOf>;

const weight = 0.7;

export function curvesOf(records: readonly StepRecord[], evaluations: readonly Evaluation[]) {
  const line = (metric: string, smoothing: number): Curve => ({
    steps: records.map(({ step }) => step),
    values: smoothed(
      records.map((record) => record[metric] ?? null),
      smoothing,
    ),
  });
  return {
    /** Mean reward of a step, smoothed. */
    reward: line(mainMetrics.reward, weight),
    /** Mean tokens of thinking of a step. */
    thinking: line(mainMetrics.thinking, 0),
    /** Accuracy in the test, on the questions whose shortcut is wrong, and on those whose shortcut is right. */
    hard: testCurve(evaluations, ({ shortcutWrong }) => shortcutWrong.accuracy),
    easy: testCurve(evaluations, ({ shortcutRight }) => shortcutRight.accuracy),
  };
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
  const hard = rollouts.filter(isShortcutWrong);
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
    isHard: isShortcutWrong(rollout),
  };
}

/** What somebody is asked in a story; empty where it is none of the swap world. */
export function questionOf({ prompt }: Answer): string {
  const story = readSwapStory(prompt);
  return story === null ? '' : questionSentence(story);
}

/** Null before the last step is judged. */
export function judgedEnding(evaluations: readonly Evaluation[]): Ending | null {
  const standing = standingOf(verdictsOf(evaluations));
  return standing === null || standing.provisional ? null : standing.ending;
}
