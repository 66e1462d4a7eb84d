/** What the ladder shows of one model: its curves, an answer of each step, and how it ended. Of a live run or of its recording. */
import { standingOf, type Ending } from '../../run/verdict/ending';
import type { Evaluation } from '../../run/record/evaluation';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory } from '../../tom/text/read-swap-story';
import type { Point } from '../charts/plot';
import { mainMetrics } from '../charts/lines/charted-metrics';
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
  reward: readonly Point[];
  /** Mean tokens of thinking of a step. */
  thinking: readonly Point[];
  /** Accuracy in the test, on the questions whose shortcut is wrong. */
  hard: readonly Point[];
}

const weight = 0.7;

export function curvesOf(records: readonly StepRecord[], evaluations: readonly Evaluation[]): Curves {
  const line = (metric: string, smoothing: number): Point[] => {
    const values = smoothed(
      records.map((record) => record[metric] ?? null),
      smoothing,
    );
    return records.flatMap(({ step }, index) => {
      const value = values[index];
      return value === null ? [] : [{ step, value }];
    });
  };
  return {
    reward: line(mainMetrics.reward, weight),
    thinking: line(mainMetrics.thinking, 0),
    hard: evaluations.map(({ report }) => ({ step: report.step, value: report.shortcutWrong.accuracy })),
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
export function endingOf(evaluations: readonly Evaluation[]): Ending | null {
  const standing = standingOf(verdictsOf(evaluations));
  return standing === null || standing.provisional ? null : standing.ending;
}

/** A live run beside its recording, in seconds. */
export interface Timed {
  /** `Recording.elapsed` */
  elapsed: readonly number[];
  /** When each of its steps came in. */
  ended: readonly number[];
  now: number;
}

/** The pace is of so many steps at most: one evaluation at least is among them, and runs beside it end. */
const window = 12;

/**
 * How long a run takes for a second of its recording, over its latter half: the first steps open a worker and compile, and
 * count for nothing. Null before the fifth step.
 */
export function paceOf({ elapsed, ended }: Timed): number | null {
  const step = ended.length;
  if (step < 5 || step >= elapsed.length) return null;
  const from = Math.max(Math.floor(step / 2), step - window) - 1;
  return (ended[step - 1] - ended[from]) / (elapsed[step - 1] - elapsed[from]);
}

/** How fast one of some runs goes beside the others: each takes a core, and the page one more. */
const speedOf = (runs: number, cores: number): number => Math.min(1, cores / (runs + 1));

/**
 * Seconds until the last of some runs ends that are side by side: as each ends, those left have more of the computer.
 *
 * @param lefts - seconds of each, at the speed that `beside` of them have
 */
export function lastEnd(lefts: readonly number[], cores: number, beside: number): number {
  const sorted = [...lefts].sort((one, other) => one - other);
  return sorted.reduce((sum, left, i) => {
    const speed = speedOf(sorted.length - i, cores) / speedOf(beside, cores);
    return sum + (left - (sorted[i - 1] ?? 0)) / speed;
  }, 0);
}

/**
 * Seconds to the end of runs side by side, their evaluations among them: what each recording took from there on, at the
 * run's pace, or at that of the others before it has one. Null before any has.
 */
export function secondsLeft(runs: readonly Timed[], cores: number): number | null {
  const paces = runs.flatMap((run) => paceOf(run) ?? []);
  if (paces.length === 0) return null;
  const usual = Math.max(...paces);
  const lefts = runs.map((run) => {
    const { elapsed, ended, now } = run;
    const taken = ended.length === 0 ? 0 : elapsed[ended.length - 1];
    const left = (elapsed[elapsed.length - 1] - taken) * (paceOf(run) ?? usual);
    return Math.max(1, left - (now - (ended.at(-1) ?? 0)));
  });
  return lastEnd(lefts, cores, lefts.length);
}
