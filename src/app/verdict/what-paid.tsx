/** Why thinking stayed or went, as dots: the answers of some steps by how they were thought out, and by what they were paid. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Term } from '../words/term';
import { earlySteps, kinds, paidWords, type PaidStep } from './paid';

/** More dots than this of a step are not seen at one look: each then stands for several answers. */
const mostDots = 32;

/** @param props.steps - those whose answers are kept, ascending; `load` gives the answers of one */
export function WhatPaid(props: { steps: readonly number[]; load: (step: number) => Promise<PaidStep> }) {
  const { load } = props;
  const early = props.steps.filter((step) => step <= earlySteps);
  const asked = [...new Set([...early, ...props.steps.slice(-1)])];
  const shown = new Set([...early.slice(0, 1), ...asked.slice(-2)]);
  const answers = useSignal<readonly PaidStep[]>([]);
  useEffect(() => void Promise.all(asked.map(load)).then((all) => (answers.value = all)), [asked.join()]);
  const columns = answers.value.filter(({ step }) => shown.has(step));
  const perDot = Math.max(1, ...columns.map(({ rewards }) => Math.ceil(rewards.length / mostDots)));
  return (
    <section class="panel what-paid" aria-labelledby="what-paid">
      <h2 id="what-paid">What was paid</h2>
      <p>
        A right answer earns 3, a wrong one −0.5, thinking nothing. Each dot is{' '}
        {perDot === 1 ? 'an answer' : `${perDot} answers`}: <b class="up">●</b> earned more than the mean (its{' '}
        <Term word="advantage" /> is positive) and became likelier, <b class="down">○</b> earned less.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">In practice it</th>
            {columns.map(({ step }) => (
              <th key={step} scope="col">
                step {step}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(kinds).map(([kind, words]) => (
            <tr key={kind}>
              <th scope="row">{words}</th>
              {columns.map((column) => (
                <td key={column.step}>
                  <Dots column={column} kind={kind} perDot={perDot} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {answers.value.length === 0
        ? null
        : paidWords(
            answers.value.filter(({ step }) => step <= earlySteps),
            answers.value[answers.value.length - 1],
          ).map((words) => (
            <p key={words}>
              <b>{words}</b>
            </p>
          ))}
    </section>
  );
}

function Dots({ column, kind, perDot }: { column: PaidStep; kind: string; perDot: number }) {
  const own = column.rewards.flatMap((_, answer) => (column.kinds[answer] === kind ? [answer] : []));
  if (own.length === 0) return <span class="quiet">none</span>;
  const up = own.filter((answer) => column.pushed[answer] === '+').length;
  const right = own.filter((answer) => column.right[answer] === 'r').length;
  return (
    <>
      <span class="dots" aria-hidden="true">
        <b class="up">{'●'.repeat(Math.ceil(up / perDot))}</b>
        <b class="down">{'○'.repeat(Math.ceil((own.length - up) / perDot))}</b>
      </span>
      <small>
        {right} of {own.length} right
      </small>
    </>
  );
}
