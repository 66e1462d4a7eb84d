/** What a run's ending is called: in lists, on the charts, and as a sentence. */
import { isLoss, standingOf, type Ending, type Standing } from '../../run/verdict/ending';
import type { Evaluation, Verdict } from '../../run/record/evaluation';
import type { ChartMark } from '../charts/chart';

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
  if (verdict === undefined || standing?.since == null || !isLoss(standing.ending)) return null;
  const { length } = verdict;
  const isLow = 2 * length.now > length.before;
  return {
    step: standing.since,
    isLow,
    lines: [
      standing.ending,
      // what it speaks of may have come before: it is told once two looks in a row agree, or by the last
      `told ${standing.since === standing.step ? 'at' : 'since'} step ${standing.since}${standing.provisional ? ', so far' : ''}`,
      ...(isLow ? [] : [`${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens`]),
    ],
  };
}

/** The ending in a few words, for lists of runs. Since which test it is told; what it speaks of may have come before. */
export function endingWords({ ending, since, step, provisional, silent }: Standing): string {
  const remarks = [
    silent && ending !== 'stops thinking' ? 'fell silent' : '',
    since === null || since === step ? '' : `since the test at step ${since}`,
    provisional ? 'so far' : '',
  ];
  const said = remarks.filter((remark) => remark !== '').join(', ');
  return said === '' ? ending : `${ending} (${said})`;
}

const sentences: Record<Ending, string> = {
  'thinks better': 'It thinks better',
  'keeps thinking': 'It keeps thinking',
  'goes on writing, no longer thinks': 'It goes on writing and no longer thinks',
  'stops thinking': 'It stops thinking',
  'cannot be told': 'It cannot be told',
};

export function endingSentence({ ending, silent }: Pick<Standing, 'ending' | 'silent'>): string {
  if (!silent || ending === 'stops thinking') return sentences[ending];
  return ending === 'cannot be told'
    ? 'It falls silent; whether it thought before cannot be told'
    : `${sentences[ending]}, in fewer words`;
}
