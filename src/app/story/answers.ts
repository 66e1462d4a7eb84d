/** A question to show of several models, and statements in a short form. */
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/record/hard-rollout';

/** `start box · ann tin ×2 · so tin`: all statements, with repetitions counted. */
export function statementsOf(thinks: string): string {
  const told: { statement: string; times: number }[] = [];
  for (const statement of thinks.split(';').map((part) => part.trim())) {
    const last = told.at(-1);
    if (last?.statement === statement) last.times++;
    else told.push({ statement, times: 1 });
  }
  return told.map(({ statement, times }) => statement + (times > 1 ? ` ×${times}` : '')).join(' · ');
}

/** The answers of a step or of a test, of which a typical one is shown. */
export interface AnswerPool {
  rollouts: readonly Rollout[];
  /** Words of thinking, of all answers of the step or of the test. */
  mean: number;
  /** Of its answers to hard questions the fraction that is right. */
  right: number;
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
