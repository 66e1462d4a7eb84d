/** Why thinking stayed or went: the answers of some steps as dots, by kind of thinking and by reward. */
import { mean } from '../../base/statistics';
import type { Thought } from '../../run/recording/answered-twice';
import { paysWords, type Paying } from '../words/paying';
import { earlySteps, type PaidStep } from '../../run/recording/step-batch';
import { percent, withMinus } from '../ui/numbers';
import { Table } from '../ui/table';
import { useFound } from '../ui/use-found';

export function WhatPaid(props: {
  steps: readonly number[];
  load: (step: number) => Promise<PaidStep>;
  paying: Paying;
}) {
  const { load, paying } = props;
  const [start = 1] = props.steps; // a warm start has no samples
  const early = props.steps.filter((step) => step < start + earlySteps);
  const asked = [...new Set([...early, ...props.steps.slice(-1)])];
  const answers = useFound(() => Promise.all(asked.map(load)), [asked.join()]) ?? [];
  const first = answers.slice(0, early.length);
  const last = answers.slice(early.length);
  const columns = [first, last].filter((steps) => steps.length > 0);
  const words = worthWords(first, answers.at(-1));
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
        head={['In practice it', ...columns.map(stepsWords)]}
        rows={Object.entries(kinds).map(([kind, thinks]) => [
          thinks,
          ...columns.map((steps) => <Dots answers={answersOf(steps, kind)} />),
        ])}
      />
      {words === '' ? null : (
        <p>
          <b>{words}</b>
        </p>
      )}
    </section>
  );
}

const kinds: Record<Thought, string> = {
  t: 'thinks, and all of it is true',
  u: 'thinks, and some is untrue',
  n: 'does not think',
};

const stepsWords = (steps: readonly PaidStep[]): string =>
  steps.length === 1 ? `step ${steps[0].step}` : `steps ${steps[0].step} to ${steps[steps.length - 1].step}`;

/** Answers with one of these kinds of thinking. */
function answersOf(steps: readonly PaidStep[], asked: string) {
  const all = steps.flatMap(({ kinds, rewards, right, pushed }) =>
    rewards.map((reward, i) => ({
      reward,
      kind: kinds[i],
      isRight: right[i] === 'r',
      isUp: pushed[i] === '+',
    })),
  );
  return all.filter(({ kind }) => asked.includes(kind));
}

const meanReward = (answers: ReturnType<typeof answersOf>): number =>
  mean(answers.map(({ reward }) => reward));

const toTenth = (earned: number): string => withMinus(Math.round(10 * earned) / 10);

function Dots({ answers }: { answers: ReturnType<typeof answersOf> }) {
  const { length } = answers;
  if (length === 0) return <span class="quiet">none</span>;
  const dots = Math.min(10, length);
  const up = Math.round((dots * answers.filter(({ isUp }) => isUp).length) / length);
  return (
    <>
      <span class="dots" aria-hidden="true">
        <b class="up">{'●'.repeat(up)}</b>
        <b class="down">{'○'.repeat(dots - up)}</b>
      </span>
      <small>
        {answers.filter(({ isRight }) => isRight).length} of {length} right, earned{' '}
        {toTenth(meanReward(answers))}
      </small>
    </>
  );
}

/** Minimum number of answers for a mean. */
const least = 8;

/**
 * What thinking earned at first, and how often the run thought then and at last. Empty with too few answers.
 *
 * Answers are compared within each step, as an update does. Pooled steps would give a biased figure, since rewards and the
 * share of thinking change over time.
 *
 * @param early - the first steps that learn from rewards
 */
export function worthWords(early: readonly PaidStep[], last: PaidStep | undefined): string {
  if (last === undefined || ['tu', 'n'].some((kind) => answersOf(early, kind).length < least)) return '';
  let worth = 0;
  let weights = 0;
  for (const step of early) {
    const [thinking, silent] = [answersOf([step], 'tu'), answersOf([step], 'n')];
    if (thinking.length === 0 || silent.length === 0) continue;
    const weight = 1 / (1 / thinking.length + 1 / silent.length); // inverse variance of a difference of two means
    worth += weight * (meanReward(thinking) - meanReward(silent));
    weights += weight;
  }
  if (weights === 0) return '';
  const [before, now] = [early[0], last].map((step) =>
    percent(answersOf([step], 'tu').length / step.rewards.length),
  );
  const earned = `${toTenth(Math.abs(worth / weights))} ${worth > 0 ? 'more' : 'less'}`;
  return `In ${stepsWords(early)} an answer with thinking earned ${earned} than one without, in the same step. It thought in ${before} of its answers at first, and in ${now} at last.`;
}
