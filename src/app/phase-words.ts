/** What a run is at, in three words that stay long enough to be read. */
import type { TrainerPhase } from '../run/events';

const words: Record<TrainerPhase, string> = {
  'warm-start': 'learning from examples',
  rollout: 'sampling answers',
  reward: 'sampling answers',
  reference: 'changing the model',
  update: 'changing the model',
  evaluate: 'evaluating',
};

/** Steps shorter than this go by as one: their phases would change faster than one can read. */
const readableStep = 3;

/** @param secondsPerStep null before it is known */
export function phaseWords(phase: TrainerPhase, secondsPerStep: number | null): string {
  const isPartOfStep = ['rollout', 'reward', 'reference', 'update'].includes(phase);
  const isQuick = secondsPerStep !== null && secondsPerStep < readableStep;
  return isPartOfStep && isQuick ? 'training' : words[phase];
}
