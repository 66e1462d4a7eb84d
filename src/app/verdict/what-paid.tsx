/** Why thinking stayed or went, as dots: the answers of some steps by how they were thought out, and by what they were paid. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mean } from '../../base/statistics';
import type { Rollout } from '../../run/record/rollout-record';
import { percent, withMinus } from '../ui/numbers';
import { Term } from '../words/term';

const kinds = {
  true: 'thinks, and all of it is true',
  untrue: 'thinks, and some is untrue',
  nothing: 'does not think',
} as const;

type Kind = keyof typeof kinds;

export function kindOf({ reward: { think, trace } }: Rollout): Kind {
  if (think.trim() === '') return 'nothing';
  return trace !== null && trace.statements.every(({ verdict }) => verdict === 'true') ? 'true' : 'untrue';
}

/** So many of the first steps tell what paid: of one alone it is chance. The table shows the ends of them. */
const earlySteps = 20;

/** Of fewer answers a mean says nothing. */
const least = 8;

/** Nearly as much as another mean. */
const nearly = 0.5;

/** Mean reward, to a tenth. */
const paid = (rollouts: readonly Rollout[]): number =>
  Math.round(10 * mean(rollouts.map(({ reward }) => reward.total))) / 10;

/**
 * What thinking earned at first and what came of it, and what true thinking earned in the end, as far as there are enough of
 * each.
 *
 * @param early - the answers of the first steps
 * @param last - and of the last one
 */
export function paidWords(early: readonly Rollout[], last: readonly Rollout[]): string[] {
  const first = early.filter(({ step }) => step === early[0].step);
  const of = (rollouts: readonly Rollout[], ...asked: Kind[]): Rollout[] =>
    rollouts.filter((rollout) => asked.includes(kindOf(rollout)));
  const [thinking, silent] = [of(early, 'true', 'untrue'), of(early, 'nothing')];
  const [isTrue, untrue] = [of(last, 'true'), of(last, 'untrue')];
  const words: string[] = [];
  if (Math.min(thinking.length, silent.length) >= least) {
    const [before, now] = [first, last].map((batch) => of(batch, 'true', 'untrue').length / batch.length);
    const paysMore = paid(thinking) > paid(silent);
    words.push(
      `In the first ${early[early.length - 1].step} steps thinking earned ${withMinus(paid(thinking))} on average, not thinking ${withMinus(paid(silent))}: ${paysMore === now > before ? 'so' : 'yet'} it came to think ${now > before ? 'more' : 'less'} often, ${percent(before)} of its answers at first and ${percent(now)} at last.`,
    );
  }
  if (Math.min(isTrue.length, untrue.length) >= least && paid(untrue) > paid(isTrue) - nearly)
    words.push(
      `At last untrue thinking earned ${withMinus(paid(untrue))}, true thinking ${withMinus(paid(isTrue))}: where a shortcut gives most answers, being true hardly pays.`,
    );
  return words;
}

/** @param props.steps - those whose answers are kept, ascending; `load` gives the answers of one */
export function WhatPaid(props: {
  steps: readonly number[];
  load: (step: number) => Promise<readonly Rollout[]>;
}) {
  const { load } = props;
  const early = props.steps.filter((step) => step <= earlySteps);
  const asked = [...new Set([...early, ...props.steps.slice(-1)])];
  const steps = [...new Set([...early.slice(0, 1), ...asked.slice(-2)])];
  const answers = useSignal<readonly Rollout[]>([]);
  useEffect(
    () => void Promise.all(asked.map(load)).then((all) => (answers.value = all.flat())),
    [asked.join()],
  );
  const of = (...some: number[]) => answers.value.filter(({ step }) => some.includes(step));
  return (
    <section class="panel what-paid" aria-labelledby="what-paid">
      <h2 id="what-paid">What was paid</h2>
      <p>
        A right answer earns 3, a wrong one −0.5, thinking nothing. Each dot is an answer: <b class="up">●</b>{' '}
        earned more than the mean (its <Term word="advantage" /> is positive) and became likelier,{' '}
        <b class="down">○</b> earned less.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">In practice it</th>
            {steps.map((step) => (
              <th key={step} scope="col">
                step {step}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(Object.keys(kinds) as Kind[]).map((kind) => (
            <tr key={kind}>
              <th scope="row">{kinds[kind]}</th>
              {steps.map((step) => (
                <td key={step}>
                  <Dots rollouts={of(step).filter((one) => kindOf(one) === kind)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {paidWords(of(...early), of(asked[asked.length - 1])).map((words) => (
        <p key={words}>
          <b>{words}</b>
        </p>
      ))}
    </section>
  );
}

function Dots({ rollouts }: { rollouts: readonly Rollout[] }) {
  if (rollouts.length === 0) return <span class="quiet">none</span>;
  const up = rollouts.filter(({ advantage }) => advantage > 0).length;
  const right = rollouts.filter(({ reward }) => reward.correct).length;
  return (
    <>
      <span class="dots" aria-hidden="true">
        <b class="up">{'●'.repeat(up)}</b>
        <b class="down">{'○'.repeat(rollouts.length - up)}</b>
      </span>
      <small>
        {right} of {rollouts.length} right
      </small>
    </>
  );
}
