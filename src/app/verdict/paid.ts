/** Kinds of thinking in the answers of a step, and their rewards, which explain why thinking stayed or went. */
import { mean } from '../../base/statistics';
import type { Ending } from '../../run/verdict/ending';
import type { Thought } from '../../run/recording/answered-twice';
import type { PaidStep } from '../../run/recording/paid-step';
import { percent, withMinus } from '../ui/numbers';

export const kinds: Record<Thought, string> = {
  t: 'thinks, and all of it is true',
  u: 'thinks, and some is untrue',
  n: 'does not think',
};

/** Minimum number of answers for a mean. */
const least = 8;

export function pooled(steps: readonly PaidStep[]): Omit<PaidStep, 'step'> {
  const joined = (letters: 'kinds' | 'right' | 'pushed'): string => steps.map((one) => one[letters]).join('');
  return {
    kinds: joined('kinds'),
    rewards: steps.flatMap(({ rewards }) => rewards),
    right: joined('right'),
    pushed: joined('pushed'),
  };
}

function rewardsOf({ kinds, rewards }: Pick<PaidStep, 'kinds' | 'rewards'>, asked: string): number[] {
  return rewards.filter((_, answer) => asked.includes(kinds[answer]));
}

/**
 * Extra reward of thinking over not thinking, compared within each step, as an update does. Pooled steps would give a
 * biased figure, since rewards and the share of thinking change over time. NaN if no step has both.
 */
function worthOfThinking(steps: readonly PaidStep[]): number {
  let worth = 0;
  let weights = 0;
  for (const step of steps) {
    const [thinking, silent] = [rewardsOf(step, 'tu'), rewardsOf(step, 'n')];
    if (thinking.length === 0 || silent.length === 0) continue;
    const weight = 1 / (1 / thinking.length + 1 / silent.length); // inverse variance of a difference of two means
    worth += weight * (mean(thinking) - mean(silent));
    weights += weight;
  }
  return worth / weights;
}

/** `In the first 20 steps`; `In steps 41 to 60` after a warm start. */
function earlyWords(early: readonly PaidStep[]): string {
  const [{ step: first }] = early;
  const { step: last } = early[early.length - 1];
  return first === 1 ? `In the first ${last} steps` : `In steps ${first} to ${last}`;
}

/**
 * Explains what thinking earned at first, and its effect. A run that goes on writing also gets the rewards of false and
 * true thinking, or the number of wholly true answers. A run that kept thinking also gets the number of wholly true answers
 * at the start. Each part needs enough answers.
 *
 * @param early - the first steps that learn from rewards
 * @param last - the last step
 * @param paysTruth - true if the reward pays for true statements
 */
export function paidWords(
  early: readonly PaidStep[],
  last: PaidStep,
  ending: Ending | undefined,
  paysTruth: boolean,
): string[] {
  const all = pooled(early);
  const toTenth = (earned: number): string => withMinus(Math.round(10 * earned) / 10);
  const words: string[] = [];
  const worth = worthOfThinking(early);
  if (Math.min(rewardsOf(all, 'tu').length, rewardsOf(all, 'n').length) >= least && !Number.isNaN(worth)) {
    const [before, now] = [early[0], last].map((step) => rewardsOf(step, 'tu').length / step.rewards.length);
    const effect =
      percent(before) === percent(now)
        ? `yet it thought as often at last as at first, in ${percent(now)} of its answers`
        : `${worth > 0 === now > before ? 'so' : 'yet'} it came to think ${now > before ? 'more' : 'less'} often, in ${percent(before)} of its answers at first and ${percent(now)} at last`;
    words.push(
      `${earlyWords(early)} an answer with thinking earned ${toTenth(Math.abs(worth))} ${worth > 0 ? 'more' : 'less'} than one without, in the same step: ${effect}.`,
    );
  }
  const [isTrue, untrue] = [rewardsOf(last, 't'), rewardsOf(last, 'u')];
  if (ending === 'goes on writing, no longer thinks' && Math.min(isTrue.length, untrue.length) >= least) {
    const areRight = last.rewards.filter((_, i) => last.kinds[i] === 'u' && last.right[i] === 'r');
    words.push(
      !paysTruth && 2 * areRight.length > untrue.length
        ? `At last thinking with something untrue in it earned ${toTenth(mean(untrue))} all the same, and correct reasoning ${toTenth(mean(isTrue))}: on easy questions the shortcut gives the right answer with any thinking before it.`
        : `At last ${isTrue.length} of its ${isTrue.length + untrue.length} answers with thinking were wholly true: it is on hard questions, by which the verdict goes, that correct reasoning was lost.`,
    );
  }
  const [trueAtFirst, untrueAtFirst] = [rewardsOf(all, 't'), rewardsOf(all, 'u')];
  if (
    (ending === 'keeps thinking' || ending === 'thinks better') &&
    untrueAtFirst.length >= least &&
    trueAtFirst.length > untrueAtFirst.length &&
    mean(trueAtFirst) > mean(untrueAtFirst)
  )
    words.push(
      `${earlyWords(early)} ${trueAtFirst.length} of its answers with thinking were wholly true and earned ${toTenth(mean(trueAtFirst))}, the other ${untrueAtFirst.length} earned ${toTenth(mean(untrueAtFirst))}: from the first it was mostly correct reasoning that was paid.`,
    );
  return words;
}
