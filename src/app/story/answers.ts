/** Chooses a question to show for several models, and marks and shortens statements. */
import type { Rollout } from '../../run/record/rollout-record';
import { isHardRollout } from '../../run/verdict/hard-rollout';
import type { TraceStatement } from '../../reward/types';

/** Signs for whether the simulated world confirms a statement. */
export const signs: Record<TraceStatement['verdict'], { sign: string; word: string }> = {
  true: { sign: '✓', word: 'true' },
  false: { sign: '✗', word: 'false' },
  unread: { sign: '?', word: 'could not be read' },
};

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

/** Answers of a step or a test, from which a typical one is shown. */
export interface AnswerPool {
  rollouts: readonly Rollout[];
  /** Mean words of thinking over all answers of the step or test. */
  mean: number;
  /** Fraction of right answers to its hard questions. */
  right: number;
}

/** Answers to hard questions, or all answers if there are none. */
function hardOf(rollouts: readonly Rollout[]): readonly Rollout[] {
  const hard = rollouts.filter(isHardRollout);
  return hard.length > 0 ? hard : rollouts;
}

/**
 * How untypical an answer is. An answer whose correctness differs from the majority on hard questions is the most
 * untypical. Otherwise the distance of its words of thinking from the mean counts.
 */
function oddity({ reward }: Rollout, { mean, right }: AnswerPool): number {
  const words = Math.abs((reward.think.match(/\S+/g)?.length ?? 0) - mean);
  return reward.correct === right >= 0.5 ? words : words + 1e6;
}

/** The question with the most typical answers over all models; undefined if they share none. */
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
