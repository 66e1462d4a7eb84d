/** Why thinking stayed or went: the answers of some steps as dots, by kind of thinking and by reward. */
import { mean } from '../../base/statistics';
import type { Ending } from '../../run/verdict/ending';
import type { Thought } from '../../run/recording/answered-twice';
import { paysTrueStatements, paysWords, type Paying } from '../words/paying';
import { earlySteps, type PaidStep } from '../../run/recording/step-batch';
import { percent, withMinus } from '../ui/numbers';
import { Table } from '../ui/table';
import { useFound } from '../ui/use-found';

type Answers = Omit<PaidStep, 'step'>;

export function WhatPaid(props: {
  steps: readonly number[];
  load: (step: number) => Promise<PaidStep>;
  ending: Ending | undefined;
  /** Reward settings of the run. */
  paying: Paying;
}) {
  const { load, ending, paying } = props;
  const [start = 1] = props.steps; // a warm start has no samples
  const early = props.steps.filter((step) => step < start + earlySteps);
  const asked = [...new Set([...early, ...props.steps.slice(-1)])];
  const answers = useFound(() => Promise.all(asked.map(load)), [asked.join()]) ?? [];
  const first = answers.filter(({ step }) => early.includes(step));
  const last = answers.at(-1);
  const columns: [string, Answers][] = [];
  if (first.length > 0) columns.push([`steps ${start} to ${first[first.length - 1].step}`, pooled(first)]);
  if (last !== undefined && !first.includes(last)) columns.push([`step ${last.step}`, last]);
  return (
    <section class="panel what-paid" aria-labelledby="what-paid">
      <h2 id="what-paid">What was paid</h2>
      <p>
        {paysWords(paying)} <b class="up">●</b> earned more than the mean of its step (its advantage is
        positive) and became likelier, <b class="down">○</b> did not. Ten dots represent all answers of a
        line; with fewer than ten answers, each has a dot.
      </p>
      <Table
        class="small"
        head={['In practice it', ...columns.map(([when]) => when)]}
        rows={Object.entries(kinds).map(([kind, words]) => [
          words,
          ...columns.map(([, answers]) => <Dots answers={answers} kind={kind} />),
        ])}
      />
      {last === undefined
        ? null
        : paidWords(first, last, ending, paysTrueStatements(paying)).map((words) => (
            <p key={words}>
              <b>{words}</b>
            </p>
          ))}
    </section>
  );
}

function Dots({ answers, kind }: { answers: Answers; kind: string }) {
  const own = answers.rewards.flatMap((_, answer) => (answers.kinds[answer] === kind ? [answer] : []));
  if (own.length === 0) return <span class="quiet">none</span>;
  const dots = Math.min(10, own.length);
  const up = Math.round((dots * own.filter((answer) => answers.pushed[answer] === '+').length) / own.length);
  const right = own.filter((answer) => answers.right[answer] === 'r').length;
  return (
    <>
      <span class="dots" aria-hidden="true">
        <b class="up">{'●'.repeat(up)}</b>
        <b class="down">{'○'.repeat(dots - up)}</b>
      </span>
      <small>
        {right} of {own.length} right
      </small>
    </>
  );
}

const kinds: Record<Thought, string> = {
  t: 'thinks, and all of it is true',
  u: 'thinks, and some is untrue',
  n: 'does not think',
};

/** Minimum number of answers for a mean. */
const least = 8;

function pooled(steps: readonly PaidStep[]): Omit<PaidStep, 'step'> {
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
 * true thinking. A run that kept thinking also gets the number of wholly true answers
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
  const areRight = last.rewards.filter((_, i) => last.kinds[i] === 'u' && last.right[i] === 'r');
  if (
    ending === 'goes on writing, no longer thinks' &&
    Math.min(isTrue.length, untrue.length) >= least &&
    !paysTruth &&
    2 * areRight.length > untrue.length
  )
    words.push(
      `At last thinking with something untrue in it earned ${toTenth(mean(untrue))} all the same, and correct reasoning ${toTenth(mean(isTrue))}: on easy questions the shortcut gives the right answer with any thinking before it.`,
    );
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
