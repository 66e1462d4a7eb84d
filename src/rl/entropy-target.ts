/**
 * An entropy coefficient that rises while the policy's entropy is at or under a target and falls while it is over it
 * (Skywork-OR1, arXiv 2505.22312, as in TRL's `use_adaptive_entropy`):
 *
 *   applied  = coefficient where the last update's entropy <= target, else 0; 0 in the first update
 *   after it   coefficient <- clamp(coefficient + step where its entropy <= target, else - step, 0, 1)
 *
 * The entropy is the mean over the tokens whose policy term counts: all that take part, or those of the highest entropy.
 */
import type { ResolvedAlgorithm } from '../run/algorithm';

/** Plain JSON, part of the checkpoint. */
export interface EntropyControl {
  coefficient: number;
  /** Mean entropy (nats) at the last update; null before the first. */
  last: number | null;
}

type Settings = Pick<ResolvedAlgorithm, 'entropyTarget' | 'entropyStep'>;

const MOST = 1;

/** The coefficient of the next update. */
export function appliedEntropyCoefficient(
  { coefficient, last }: EntropyControl,
  { entropyTarget }: Pick<Settings, 'entropyTarget'>,
): number {
  if (entropyTarget === 0) return coefficient;
  return last !== null && last <= entropyTarget ? coefficient : 0;
}

/** @param entropy mean over the update's tokens, nats; null where there were none, and nothing is learnt of it */
export function nextEntropyControl(
  control: EntropyControl,
  entropy: number | null,
  { entropyTarget, entropyStep }: Settings,
): EntropyControl {
  if (entropyTarget === 0 || entropy === null) return control;
  const { coefficient } = control;
  const moved = entropy <= entropyTarget ? coefficient + entropyStep : coefficient - entropyStep;
  return { coefficient: Math.max(0, Math.min(MOST, moved)), last: entropy };
}
