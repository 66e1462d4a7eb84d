/** Effect of an update on completions, from the log-probabilities of their tokens before and after it, and its colours. */
import { extent } from '../../base/statistics';
import type { Rollout, TokenChanges } from '../../run/record/rollout-record';
import { signedNumber } from '../ui/numbers';

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

/** Direction of a completion's change at the shown precision: along its advantage, against it, or hardly any. */
export function movedAs(advantage: number, changes: TokenChanges): 'along' | 'against' | 'hardly' {
  const moved = Math.sign(Number((likelihoodRatio(changes) - 1).toFixed(2)));
  if (moved === 0 || advantage === 0) return 'hardly';
  return moved === Math.sign(advantage) ? 'along' : 'against';
}

/** `×1.31`. */
export function ratioWords(ratio: number): string {
  return `×${ratio >= 10 || ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(2)}`;
}

/** Sentence on whether completions moved along their advantages, with a counterexample; empty without log-probabilities. */
export function whatFollowed(samples: readonly Rollout[]): string {
  const known = samples.flatMap(({ advantage, byToken, sample }) =>
    byToken === undefined
      ? []
      : [{ advantage, ratio: likelihoodRatio(byToken), sample, way: movedAs(advantage, byToken) }],
  );
  const side = (sign: number) => known.filter(({ advantage }) => Math.sign(advantage) === sign);
  const along = (sign: number): number => side(sign).filter(({ way }) => way === 'along').length;
  const parts = [
    counted(along(1), side(1).length, 'above 0', 'likelier as a whole'),
    counted(along(-1), side(-1).length, 'below 0', 'less likely'),
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  const still = known.filter(({ way }) => way === 'hardly').length;
  if (still > 0) parts.push(`${still === 1 ? 'one' : still} hardly moved (×1.00)`);
  const astray = known.find(({ way }) => way === 'against');
  const example =
    astray === undefined
      ? ''
      : ` (sample ${astray.sample + 1}: ${signedNumber(astray.advantage)}, and yet ${ratioWords(astray.ratio)})`;
  return `What followed: ${parts.join('; ')}. The update sums over the whole batch, so a completion can go the other way${example}: what other completions share with it moves it too.`;
}

function counted(moved: number, all: number, side: string, became: string): string {
  if (all === 0) return '';
  return `of ${all === 1 ? 'the one sample' : `${all} samples`} with an advantage ${side}, ${moved} became ${became}`;
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
