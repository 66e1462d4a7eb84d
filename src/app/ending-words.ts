/** What a run's ending is called in lists and on the charts. */
import { standingOf, type Standing } from '../run/ending';
import type { Evaluation, Verdict } from '../run/evaluation';
import type { ChartMark } from './chart-drawing';
import { decoratedAnswer } from './verdict-words';

export function verdictsOf(evaluations: readonly Evaluation[]): Verdict[] {
  return evaluations.flatMap(({ verdict }) => verdict ?? []);
}

export function signed(hundredths: number): string {
  const size = Math.abs(hundredths).toFixed(1);
  if (Number(size) === 0) return '±0';
  return `${hundredths > 0 ? '+' : '−'}${size}`;
}

/** What the length curve is marked with: where a loss of the reasoning was first judged; its other figures are the verdict's. */
export function endingMark(evaluations: readonly Evaluation[]): ChartMark | null {
  const verdicts = verdictsOf(evaluations);
  const standing = standingOf(verdicts);
  const verdict = verdicts.at(-1);
  if (verdict === undefined || standing?.since == null || standing.ending === 'reasons better') return null;
  const { length } = verdict;
  return {
    step: standing.since,
    lines: [
      `${standing.ending}, judged at step ${standing.since}${standing.provisional ? ', provisional' : ''}`,
      `${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens, greedy`,
    ],
  };
}

/** The ending in a few words, for lists of runs. At the step it was judged; what it speaks of may have come before. */
export function endingWords({ ending, since, provisional }: Standing): string {
  const remarks = [since === null ? '' : `judged at step ${since}`, provisional ? 'provisional' : ''];
  const said = remarks.filter((remark) => remark !== '').join(', ');
  return said === '' ? ending : `${ending} (${said})`;
}

/** The page’s heading, answered. */
export function headingAnswer(standing: Standing | null, evaluations: readonly Evaluation[]): string {
  if (standing === null || standing.provisional) return 'The last step will tell.';
  switch (standing.ending) {
    case 'reasons better':
      return 'It thinks better.';
    case 'collapsed':
      return 'It stops thinking.';
    case 'decorated':
      return decoratedAnswer(evaluations);
    case 'undetermined':
      return 'This run does not tell; “Verdict” says what is missing.';
  }
}
