/** What the ladder shows of one model: its curves, an answer of each step, and how it ended. Of a live run or of its recording. */
import { standingOf, type Ending } from '../../run/verdict/ending';
import type { Evaluation } from '../../run/record/evaluation';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { mainMetrics } from '../charts/lines/charted-metrics';
import { testCurve, type Curve } from '../charts/lines/curve';
import { smoothed } from '../charts/lines/smoothing';
import { questionSentence } from '../story/sentences';
import { verdictsOf } from '../verdict/ending-words';

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
}

export interface Curves {
  /** Mean reward of a step, smoothed. */
  reward: Curve;
  /** Mean tokens of thinking of a step. */
  thinking: Curve;
  /** Accuracy in the test, on the questions whose shortcut is wrong, and on those whose shortcut is right. */
  hard: Curve;
  easy: Curve;
}

const weight = 0.7;

export function curvesOf(records: readonly StepRecord[], evaluations: readonly Evaluation[]): Curves {
  const line = (metric: string, smoothing: number): Curve => ({
    steps: records.map(({ step }) => step),
    values: smoothed(
      records.map((record) => record[metric] ?? null),
      smoothing,
    ),
  });
  return {
    reward: line(mainMetrics.reward, weight),
    thinking: line(mainMetrics.thinking, 0),
    hard: testCurve(evaluations, ({ shortcutWrong }) => shortcutWrong.accuracy),
    easy: testCurve(evaluations, ({ shortcutRight }) => shortcutRight.accuracy),
  };
}

/**
 * @param rollouts - of a step, or of an evaluation
 * @returns null where none is of a swap story
 */
export function answerOf(rollouts: readonly Rollout[]): Answer | null {
  const first = rollouts.filter(({ sample }) => sample === 0);
  const hard = first.find(
    ({ shortcutAnswer, goldAnswer }) => shortcutAnswer !== null && shortcutAnswer !== goldAnswer,
  );
  const rollout = hard ?? first.at(0);
  if (rollout === undefined || readSwapStory(rollout.prompt) === null) return null;
  const { think, answer, correct } = rollout.reward;
  return {
    step: rollout.step,
    prompt: rollout.prompt,
    thinks: think.trim(),
    answers: answer,
    correct,
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
