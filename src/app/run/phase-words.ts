/** What a run is at, in a few words that stay long enough to be read. */
import type { TrainerPhase } from '../../run/record/events';

/** One for all that is done with the answers of a step before its update: the shorter of these go by too fast. */
const answering = 'sampling and scoring';

const words: Record<TrainerPhase, string> = {
  compile: 'compiling kernels',
  rollout: answering,
  reward: answering,
  reference: answering,
  update: 'changing the model',
  evaluate: 'evaluating',
};

/** Steps shorter than this go by as one: their phases would change faster than one can read. */
const readableStep = 3;

/** Phases that may take minutes, and of which it is told how far they are. */
const long: readonly TrainerPhase[] = ['evaluate'];

/**
 * @param secondsPerStep null before it is known
 * @param progress of the phase: a fraction, or of kernels how many are compiled
 */
export function phaseWords(
  phase: TrainerPhase,
  secondsPerStep: number | null,
  { fraction, count }: { fraction: number; count?: { done: number; total: number } },
): string {
  if (count) return `compiling kernel ${Math.min(count.done + 1, count.total)} of ${count.total}`;
  if (long.includes(phase)) return `${words[phase]}, ${Math.floor(100 * fraction)} %`;
  const isPartOfStep = ['rollout', 'reward', 'reference', 'update'].includes(phase);
  const isQuick = secondsPerStep !== null && secondsPerStep < readableStep;
  return isPartOfStep && isQuick ? 'training' : words[phase];
}
