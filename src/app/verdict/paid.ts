/** How the answers of a step were thought out, and what each was paid: what tells why thinking stayed or went. */
import { mean } from '../../base/statistics';
import type { Rollout } from '../../run/record/rollout-record';
import { percent, withMinus } from '../ui/numbers';

export const kinds = {
  t: 'thinks, and all of it is true',
  u: 'thinks, and some is untrue',
  n: 'does not think',
} as const;

type Kind = keyof typeof kinds;

/** One letter or number for each answer; recordings hold it. */
export interface PaidStep {
  step: number;
  /** Of `kinds`. */
  kinds: string;
  rewards: number[];
  /** `r` where the answer is right, else `w`. */
  right: string;
  /** `+` where it earned more than the mean, else `-`. */
  pushed: string;
}

function kindOf({ reward: { think, trace } }: Rollout): Kind {
  if (think.trim() === '') return 'n';
  return trace !== null && trace.statements.every(({ verdict }) => verdict === 'true') ? 't' : 'u';
}

/** @param rollouts - of one step */
export function paidStep(step: number, rollouts: readonly Rollout[]): PaidStep {
  return {
    step,
    kinds: rollouts.map(kindOf).join(''),
    rewards: rollouts.map(({ reward }) => reward.total),
    right: rollouts.map(({ reward }) => (reward.correct ? 'r' : 'w')).join(''),
    pushed: rollouts.map(({ advantage }) => (advantage > 0 ? '+' : '-')).join(''),
  };
}

/** So many of the first steps tell what paid: of one alone it is chance. */
export const earlySteps = 20;

/** Of fewer answers a mean says nothing. */
const least = 8;

/** Nearly as much as another mean. */
const nearly = 0.5;

/**
 * What thinking earned at first and what came of it, and what true thinking earned in the end, as far as there are enough of
 * each.
 *
 * @param early - the first steps
 * @param last - and the last one
 */
export function paidWords(early: readonly PaidStep[], last: PaidStep): string[] {
  const rewards = (steps: readonly PaidStep[], asked: string): number[] =>
    steps.flatMap((one) => one.rewards.filter((_, answer) => asked.includes(one.kinds[answer])));
  const toTenth = (earned: readonly number[]): number => Math.round(10 * mean(earned)) / 10;
  const [thinking, silent] = [rewards(early, 'tu'), rewards(early, 'n')];
  const [isTrue, untrue] = [rewards([last], 't'), rewards([last], 'u')];
  const words: string[] = [];
  if (Math.min(thinking.length, silent.length) >= least) {
    const [before, now] = [early[0], last].map((step) => rewards([step], 'tu').length / step.rewards.length);
    const paysMore = toTenth(thinking) > toTenth(silent);
    words.push(
      `In the first ${early[early.length - 1].step} steps thinking earned ${withMinus(toTenth(thinking))} on average, not thinking ${withMinus(toTenth(silent))}: ${paysMore === now > before ? 'so' : 'yet'} it came to think ${now > before ? 'more' : 'less'} often, ${percent(before)} of its answers at first and ${percent(now)} at last.`,
    );
  }
  if (Math.min(isTrue.length, untrue.length) >= least && toTenth(untrue) > toTenth(isTrue) - nearly)
    words.push(
      `At last untrue thinking earned ${withMinus(toTenth(untrue))}, true thinking ${withMinus(toTenth(isTrue))}: where a shortcut gives most answers, being true hardly pays.`,
    );
  return words;
}
