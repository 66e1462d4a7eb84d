/** A run's ending: its names for lists and as sentences, and the change that it rests on. */
import type { Ratio, Verdict } from '../../run/record/evaluation';
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

/** Thinking is measured in tokens. A token of an embedded model is a word. */
type Unit = 'tokens' | 'words';

/**
 * `20 → 20 tokens. Hard questions right: 91 → 73 %, 80 % left (74 to 86 %). Correct reasoning: 89 → 65 %, 73 % left (65 to 82 %)`.
 * Begins with a lower-case letter, to follow a colon.
 */
export function seenWords(verdict: Verdict | null, unit: Unit = 'tokens'): string {
  if (verdict === null) return 'stopped before its last test, which decides the verdict';
  const since =
    verdict.against === undefined ? '' : `since the warm start ended at step ${verdict.against}: `;
  const change = changeWords(verdict, unit);
  return since + change.charAt(0).toLowerCase() + change.slice(1);
}

/** Endings whose words have the remaining share of each figure. The others are plain. */
const withShares: readonly Ending[] = ['keeps thinking', 'thinks less', 'too close to call'];

function changeWords(verdict: Verdict, unit: Unit): string {
  const { ending, wrong, faithfulWrong, conditions } = verdict;
  const measured = measuredLength(verdict);
  const words =
    measured === null ? '' : `${Math.round(measured.before)} → ${Math.round(measured.now)} ${unit}. `;
  if (wrong === null || wrong.count < LEAST_ITEMS)
    return `${words}The test has ${wrong?.count ?? 0} hard questions; the verdict needs ${LEAST_ITEMS}`;
  const isPlain = !withShares.includes(ending) || faithfulWrong === null || !hasReasoned(conditions);
  const figure = (change: Ratio): string =>
    fromTo(change) + (isPlain ? '' : `, ${percent(change.ratio.value)} left (${between(change.ratio)})`);
  const right = `${words}Hard questions right: ${figure(wrong)}`;
  if (faithfulWrong === null) return `${right}. Its reasoning cannot be checked`;
  const maybe = ending === 'too close to call' ? 'perhaps ' : '';
  const start = hasReasoned(conditions) ? '' : ` (there was ${maybe}little at the start)`;
  return `${right}. Correct reasoning: ${figure(faithfulWrong)}${start}`;
}
