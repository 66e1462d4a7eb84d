/** Names of a run's ending: for lists and as sentences. */
import type { Ending, Standing } from '../../run/verdict/ending';
import { between, percent } from '../ui/numbers';

/**
 * The ending in a few words, for lists of runs, with the remaining share of correct reasoning. Names the test since which
 * the ending holds. The change itself may be older.
 */
export function endingWords({ ending, since, step, provisional, silent, kept }: Standing): string {
  const remarks = [
    kept === null ? '' : keptWords(kept),
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
  'thinks less': 'It thinks less: part of its reasoning is lost',
  'right answers, thinking no longer true': 'Its answers stay right, and its thinking is no longer true',
  'goes on writing, no longer thinks': 'It goes on writing and no longer thinks',
  'stops thinking': 'It stops thinking',
  'had little to lose': 'It had little reasoning to lose',
  'too close to call': 'It is too close to call',
  'not measured': 'Its thinking is not measured',
};

export function endingSentence({
  ending,
  silent,
  kept,
}: Pick<Standing, 'ending' | 'silent' | 'kept'>): string {
  const words =
    sentences[ending] + (silent && ending !== 'stops thinking' ? ', in at most half the tokens' : '');
  return kept === null ? words : `${words}: ${shareOf(kept)} of its correct reasoning (${between(kept)})`;
}

/** `73 % of it, 64 to 83 %`: remaining share of the correct reasoning on hard questions, with its interval. */
function keptWords(kept: NonNullable<Standing['kept']>): string {
  return `${shareOf(kept)} of it, ${between(kept)}`;
}

const shareOf = ({ value }: { value: number }): string => (value >= 1 ? 'all' : percent(value));
