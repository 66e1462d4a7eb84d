/** What was seen of a run between its first test and its last, in one plain line, and why an ending is not surely told from it. */
import type { Ratio, Verdict } from '../../run/record/evaluation';
import { HALF, LEAST_ITEMS } from '../../run/verdict/rule';
import { between, fromTo, percent } from '../ui/numbers';

/** `hard questions 84 → 42 % right, 50 % left (40 to 57 %): too near half to tell; true thinking 73 → 19 %, halved` */
export function seenWords(verdict: Verdict | null): string {
  if (verdict === null) return 'stopped before its last test, by which it is judged';
  const since =
    verdict.against === undefined ? '' : `since the warm start ended at step ${verdict.against}: `;
  return since + changeWords(verdict);
}

function changeWords(verdict: Verdict): string {
  const { ending, length, wrong, faithfulWrong, conditions } = verdict;
  const words = `${Math.round(length.before)} → ${Math.round(length.now)} words`;
  if (wrong === null || wrong.count < LEAST_ITEMS)
    return `${words}; ${wrong?.count ?? 0} hard questions in the test: ${LEAST_ITEMS} are needed`;
  const right = `hard questions ${fromTo(wrong)} right`;
  if (faithfulWrong === null) return `${words}; ${right}; whether its thinking is true nobody can check`;
  const thought = `true thinking ${fromTo(faithfulWrong)}`;
  const { wrongHalved, wrongKept, faithfulHalved, faithfulKept, faithfulAtStart, aboveChance } = conditions;
  if (!faithfulAtStart || aboveChance === false)
    return `${words}; ${right}, ${thought}: ${ending === 'too close to call' ? 'perhaps little to lose' : 'little to lose'}`;
  const isPlain = ending !== 'too close to call' && ending !== 'thinks less';
  return !isPlain
    ? `${right}, ${left(wrong, wrongHalved, wrongKept)}; ${thought}, ${left(faithfulWrong, faithfulHalved, faithfulKept)}`
    : `${words}; ${right}, ${thought}${ending === 'keeps thinking' ? `: ${keptOf(faithfulWrong)}` : ''}`;
}

/** `all: greedy 83 → 81 %, sampled 60 → 87 %`: the accuracy of the test beside that of drawn answers, since the two may part. */
export function accuracyWords({ belief, sampled }: Verdict): string {
  return `all: greedy ${fromTo(belief)}${sampled === null ? '' : `, sampled ${fromTo(sampled)}`}`;
}

const keptOf = ({ ratio }: Ratio): string =>
  `${ratio.value >= 1 ? 'all' : percent(ratio.value)} kept (${between(ratio)})`;

/** How much is left of a figure, and where that is not sure, between which bounds. */
function left({ ratio: { value, low, high } }: Ratio, isHalved: boolean, isKept: boolean): string {
  if (isHalved) return 'halved';
  if (isKept) return 'kept';
  const bounds = `${percent(value)} left (${between({ low, high })})`;
  return `${bounds}: ${low > HALF ? 'a part is lost, less than half' : 'too near half to tell'}`;
}
