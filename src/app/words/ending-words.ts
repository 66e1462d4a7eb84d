/** A run's ending: its names for lists and as sentences, and the change that it rests on. */
import type { Verdict } from '../../run/record/evaluation';
import { hasReasoned, LEAST_ITEMS, type Ending, type Standing } from '../../run/verdict/ending';
import { measuredLength } from '../../run/verdict/measured';
import { between, fromTo, percent } from '../ui/numbers';

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

/**
 * `20 → 20 tokens. Hard questions right: 91 → 73 %. Correct reasoning: 89 → 65 %, 73 % left (65 to 82 %)`. Begins with a
 * lower-case letter, to follow a colon.
 *
 * @param unit - of thinking; a token of an embedded model is a word
 */
export function seenWords(verdict: Verdict | null, unit: 'tokens' | 'words' = 'tokens'): string {
  if (verdict === null) return 'stopped before its last test, which decides the verdict';
  const { against, wrong } = verdict;
  const length = measuredLength(verdict);
  const words = length === null ? [] : [`${Math.round(length.before)} → ${Math.round(length.now)} ${unit}`];
  if (wrong === null || wrong.count < LEAST_ITEMS)
    words.push(`The test has ${wrong?.count ?? 0} hard questions; the verdict needs ${LEAST_ITEMS}`);
  else words.push(`Hard questions right: ${fromTo(wrong)}`, reasoningWords(verdict));
  const change = words.join('. ');
  const since = against === undefined ? '' : `since the warm start ended at step ${against}: `;
  return since + change.charAt(0).toLowerCase() + change.slice(1);
}

function reasoningWords({ ending, faithfulWrong, conditions }: Verdict): string {
  if (faithfulWrong === null) return 'Its reasoning cannot be checked';
  const { ratio } = faithfulWrong;
  const left = hasReasoned(conditions)
    ? `, ${percent(ratio.value)} left (${between(ratio)})`
    : ` (there was ${ending === 'too close to call' ? 'perhaps ' : ''}little at the start)`;
  return `Correct reasoning: ${fromTo(faithfulWrong)}${left}`;
}
