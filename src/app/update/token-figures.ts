/** Effect of an update on completions, from the log-probabilities of their tokens before and after it, and its colours. */
import { extent } from '../../base/statistics';
import type { TokenChanges } from '../../run/record/rollout-record';

/** Change of log p of each token, in nats. */
export function changesOf({ before, after }: TokenChanges): number[] {
  return after.map((value, i) => value - before[i]);
}

/** Factor by which the update changed the probability of a completion: exp of the sum of the changes. */
export function likelihoodRatio(changes: TokenChanges): number {
  return Math.exp(changesOf(changes).reduce((sum, change) => sum + change, 0));
}

/** `62.0 %`; `> 99.9 %` or `< 0.1 %` at the ends. */
export function tokenProbability(logprob: number): string {
  const percent = 100 * Math.exp(logprob);
  if (percent > 99.95) return '> 99.9 %';
  if (percent < 0.05) return '< 0.1 %';
  return `${percent.toFixed(1)} %`;
}

/** `×1.31`. */
export function ratioWords(ratio: number): string {
  return `×${ratio >= 10 || ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(2)}`;
}

/** Size of the largest advantage. */
export function largestOf(advantages: readonly number[]): number {
  return extent(advantages.map(Math.abs))[1];
}

/**
 * Colour of an advantage: one hue for a push up and one for a push down, paler for smaller advantages.
 *
 * @param largest - advantage with the full colour
 */
export function advantageColour(advantage: number, largest: number): string {
  const share = largest === 0 ? 0 : Math.min(1, Math.abs(advantage) / largest);
  if (share < 0.01) return 'var(--unmoved)';
  const hue = advantage > 0 ? '--likelier' : '--unlikelier';
  return `color-mix(in oklab, var(${hue}) ${Math.round(30 + 70 * share)}%, var(--unmoved))`;
}
