/** Names of a run's ending: for lists and as sentences. */
import type { Ending, Standing } from '../../run/verdict/ending';
import { between, percent } from '../ui/numbers';

type Remarked = Pick<Standing, 'ending' | 'silent' | 'kept'>;

/** Remaining share of the correct reasoning on hard questions with its interval, and silence that the ending does not imply. */
const remarksOf = ({ ending, silent, kept }: Remarked): string[] => [
  kept === null ? '' : `${kept.value >= 1 ? 'all' : percent(kept.value)} of it, ${between(kept)}`,
  silent && ending !== 'stops thinking' ? 'fell silent' : '',
];

function withRemarks(words: string, remarks: readonly string[]): string {
  const said = remarks.filter((remark) => remark !== '').join(', ');
  return said === '' ? words : `${words} (${said})`;
}

/** The ending for lists of runs, with the test since which it holds. The change itself may be older. */
export function endingWords(standing: Standing): string {
  const { ending, since, step, provisional } = standing;
  return withRemarks(ending, [
    ...remarksOf(standing),
    since === null || since === step ? '' : `since the test at step ${since}`,
    provisional ? 'so far' : '',
  ]);
}

const sentences: Partial<Record<Ending, string>> = {
  'right answers, thinking no longer true': 'Its answers stay right, and its thinking is no longer true',
  'had little to lose': 'It had little reasoning to lose',
  'too close to call': 'It is too close to call',
  'not measured': 'Its thinking is not measured',
};

export const endingSentence = (standing: Remarked): string =>
  withRemarks(sentences[standing.ending] ?? `It ${standing.ending}`, remarksOf(standing));
