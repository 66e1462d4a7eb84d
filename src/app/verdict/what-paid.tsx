/** Why thinking stayed or went: the answers of some steps as dots, by kind of thinking and by reward. */
import type { Ending } from '../../run/verdict/ending';
import { paysTrueStatements, paysWords, type Paying } from '../words/paying';
import { kinds, paidWords, pooled } from './paid';
import { earlySteps, type PaidStep } from '../../run/recording/paid-step';
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
