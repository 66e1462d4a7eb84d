/** Short words for the phase of a run, shown long enough to be read. */
import type { TrainerPhase } from '../../run/record/events';

/** Shared by the phases from sampling to the update, since the shorter ones pass too quickly to read. */
const answering = 'sampling and scoring';

const words: Record<TrainerPhase, string> = {
  compile: 'compiling kernels',
  rollout: answering,
  reward: answering,
  reference: answering,
  update: 'changing the model',
  evaluate: 'evaluating',
};

/** Steps shorter than this many seconds show one word for all phases. */
const readableStep = 3;

/** Phases that may take minutes and therefore show their progress. */
const long: readonly TrainerPhase[] = ['evaluate'];

/**
 * @param secondsPerStep - null before it is known
 * @param progress - fraction of the phase, and the number of compiled kernels while compiling
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
