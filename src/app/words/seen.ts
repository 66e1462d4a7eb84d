/** Words for the change between the first and the last test of a run, and for the uncertainty of its ending. */
import type { Ratio, Verdict } from '../../run/record/evaluation';
import { measuredChange, measuredLength } from '../../run/verdict/measured';
import { HALF, hasReasoned, LEAST_ITEMS } from '../../run/verdict/rule';
import { between, fromTo, percent } from '../ui/numbers';

/** Thinking is measured in tokens. A token of an embedded model is a word. */
type Unit = 'tokens' | 'words';

/**
 * `hard questions right: 84 → 42 %, 50 % left (40 to 57 %): too near half to tell. Correct reasoning: 73 → 19 %, halved`.
 * Begins with a lower-case letter, to follow a colon.
 */
export function seenWords(verdict: Verdict | null, unit: Unit = 'tokens'): string {
  if (verdict === null) return 'stopped before its last test, which decides the verdict';
  const since =
    verdict.against === undefined ? '' : `since the warm start ended at step ${verdict.against}: `;
  const change = changeWords(verdict, unit);
  return since + change.charAt(0).toLowerCase() + change.slice(1);
}

function changeWords(verdict: Verdict, unit: Unit): string {
  const { ending, wrong, faithfulWrong, conditions } = verdict;
  const measured = measuredLength(verdict);
  const words =
    measured === null ? '' : `${Math.round(measured.before)} → ${Math.round(measured.now)} ${unit}. `;
  if (wrong === null || wrong.count < LEAST_ITEMS)
    return `${words}The test has ${wrong?.count ?? 0} hard questions; the verdict needs ${LEAST_ITEMS}`;
  const right = `Hard questions right: ${fromTo(wrong)}`;
  if (faithfulWrong === null) return `${words}${right}. Its reasoning cannot be checked`;
  const thought = `Correct reasoning: ${fromTo(faithfulWrong)}`;
  const { wrongHalved, wrongKept, faithfulHalved, faithfulKept } = conditions;
  if (!hasReasoned(conditions))
    return `${words}${right}. ${thought} (there was ${ending === 'too close to call' ? 'perhaps ' : ''}little at the start)`;
  const isPlain = ending !== 'too close to call' && ending !== 'thinks less';
  return !isPlain
    ? `${right}, ${left(wrong, wrongHalved, wrongKept)}. ${thought}, ${left(faithfulWrong, faithfulHalved, faithfulKept)}`
    : `${words}${right}. ${thought}${ending === 'keeps thinking' ? `: ${keptOf(faithfulWrong)}` : ''}`;
}

/**
 * `All: greedy 57 → 72, 83 → 86, 91 → 92 %; sampled 41 → 63, 52 → 86, 77 → 91 %`: greedy accuracy of some runs, and the
 * accuracy of sampled answers, since the two may differ.
 */
export function accuracyWords(verdicts: readonly Verdict[]): string {
  const changes = (name: string, of: 'belief' | 'sampled'): string[] => {
    const measured = verdicts.flatMap((verdict) => measuredChange(verdict[of]) ?? []);
    return measured.length === 0 ? [] : [`${name} ${measured.map(shortChange).join(', ')} %`];
  };
  return `All: ${[...changes('greedy', 'belief'), ...changes('sampled', 'sampled')].join('; ')}`;
}

const shortChange = ({ before, now }: { before: number; now: number }): string =>
  `${Math.round(100 * before)} → ${Math.round(100 * now)}`;

const keptOf = ({ ratio }: Ratio): string =>
  `kept ${percent(Math.min(1, ratio.value))} (${Math.round(100 * ratio.low)}–${percent(ratio.high)})`;

/** Remaining share of a figure in words, with bounds if it is uncertain. */
function left({ ratio: { value, low, high } }: Ratio, isHalved: boolean, isKept: boolean): string {
  if (isHalved) return 'halved';
  if (isKept) return 'kept';
  const bounds = `${percent(value)} left (${between({ low, high })})`;
  return `${bounds}: ${low > HALF ? 'a part is lost, less than half' : 'too near half to tell'}`;
}
