/** What a run's ending is called in lists and on the charts. */
import { standingOf, type Standing } from '../run/ending';
import type { Evaluation, Verdict } from '../run/evaluation';
import type { ChartMark } from './chart-drawing';
import { percent } from './numbers';

export function verdictsOf(evaluations: readonly Evaluation[]): Verdict[] {
  return evaluations.flatMap(({ verdict }) => verdict ?? []);
}

export function signed(hundredths: number): string {
  const size = Math.abs(hundredths).toFixed(1);
  if (Number(size) === 0) return '±0';
  return `${hundredths > 0 ? '+' : '−'}${size}`;
}

/** What the length curve is marked with: where a loss of the reasoning first stood. */
export function endingMark(evaluations: readonly Evaluation[]): ChartMark | null {
  const verdicts = verdictsOf(evaluations);
  const standing = standingOf(verdicts);
  const verdict = verdicts.at(-1);
  if (verdict === undefined || standing?.since == null || standing.ending === 'reasons better') return null;
  const { length, belief, faithful, wrong, conditions } = verdict;
  return {
    step: standing.since,
    lines: [
      `${standing.ending} since step ${standing.since}${standing.provisional ? ', provisional' : ''}`,
      `thinking ${percent(length.ratio.value)} of its length, greedy`,
      `accuracy on beliefs ${signed(100 * belief.change.value)} points`,
      // Of a decoration the loss that makes it one: the other may not be there.
      standing.ending === 'decorated' && conditions.wrongHalved && wrong !== null
        ? `shortcut wrong: right ${percent(wrong.ratio.value)} as often`
        : `faithful traces ${percent(faithful?.ratio.value ?? 0)} of the start's`,
    ],
  };
}

/** The ending in a few words, for lists of runs. */
export function endingWords({ ending, since, provisional }: Standing): string {
  const at = since === null ? '' : ` since step ${since}`;
  return `${ending}${at}${provisional ? ' (provisional)' : ''}`;
}
