/** What the ladder shows of one model: its curves, an answer of each step, and how it ended. Of a live run or of its recording. */
import { standingOf, type Ending } from '../../run/verdict/ending';
import type { Evaluation } from '../../run/record/evaluation';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { readSmallStory } from '../../tom/text/read-small-story';
import type { Point } from '../charts/plot';
import { mainMetrics } from '../charts/charted-metrics';
import { smoothed } from '../charts/smoothing';
import { questionSentence } from '../story/sentences';
import { verdictsOf } from '../verdict/ending-words';

/** From the smallest model to the largest; `colour` is a custom property of style.css. */
export const rungs = [
  { preset: 'ladder-12k', name: 'small', colour: '--small' },
  { preset: 'ladder-25k', name: 'middle', colour: '--middle' },
  { preset: 'ladder-398k', name: 'large', colour: '--large' },
] as const;

export type Rung = (typeof rungs)[number];

/** One sampled completion of a step, to a question on which the shortcut is wrong where the step has one. */
export interface Answer {
  step: number;
  question: string;
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

/** Null where no rollout is of a story of the small worlds. */
export function answerOf(rollouts: readonly Rollout[]): Answer | null {
  const first = rollouts.filter(({ sample }) => sample === 0);
  const hard = first.find(
    ({ shortcutAnswer, goldAnswer }) => shortcutAnswer !== null && shortcutAnswer !== goldAnswer,
  );
  const rollout = hard ?? first.at(0);
  const story = rollout === undefined ? null : readSmallStory(rollout.prompt);
  if (rollout === undefined || story === null) return null;
  const { think, answer, correct } = rollout.reward;
  return {
    step: rollout.step,
    question: questionSentence(story),
    thinks: think.trim(),
    answers: answer,
    correct,
  };
}

/** Null before the last step is judged. */
export function endingOf(evaluations: readonly Evaluation[]): Ending | null {
  const standing = standingOf(verdictsOf(evaluations));
  return standing === null || standing.provisional ? null : standing.ending;
}

/** A model's run as `public/ladder.json` has it. */
export interface RecordedRung extends Curves {
  preset: string;
  seed: number;
  steps: number;
  /** Seconds from the beginning to the end of each step, and of the last evaluation, on `machine`. */
  elapsed: readonly number[];
  answers: readonly Answer[];
  ending: Ending;
}

/** Written by `scripts/record-ladder.ts`. */
export interface RecordedLadder {
  machine: string;
  /** The day, ISO 8601. */
  recordedOn: string;
  rungs: readonly RecordedRung[];
}

/** A live run beside its recording, in seconds. */
export interface Timed {
  /** `RecordedRung.elapsed` */
  elapsed: readonly number[];
  /** When each of its steps came in. */
  ended: readonly number[];
  now: number;
}

/** The pace is of so many steps at most: runs beside it end. */
const window = 15;

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

/**
 * Seconds to the end of runs side by side, their evaluations among them: what each recording took from there on, at the
 * run's pace, or at that of the others before it has one. Null before any has.
 */
export function secondsLeft(runs: readonly Timed[]): number | null {
  const paces = runs.flatMap((run) => paceOf(run) ?? []);
  if (paces.length === 0) return null;
  const usual = Math.max(...paces);
  return Math.max(
    1,
    ...runs.map((run) => {
      const { elapsed, ended, now } = run;
      const taken = ended.length === 0 ? 0 : elapsed[ended.length - 1];
      return (elapsed[elapsed.length - 1] - taken) * (paceOf(run) ?? usual) - (now - (ended.at(-1) ?? 0));
    }),
  );
}
