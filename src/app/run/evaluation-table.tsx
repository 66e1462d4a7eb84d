/** The last evaluation by order and set, with its 95 % intervals and what the shortcut alone would score. */
import type { Accuracy } from '../../reward/accuracy';
import type { EvalReport, Evaluation } from '../../run/record/evaluation';
import { percent } from '../ui/numbers';

type Row = [name: string, before: Accuracy | undefined, after: Accuracy];

export function EvaluationTable({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const first = evaluations[0]?.report;
  const now = evaluations.at(-1)?.report;
  if (first === undefined || now === undefined) return null;
  const rows: Row[] = [
    ['all questions', first.overall, now.overall],
    ...optionalRows(first, now),
    ['easy questions', first.shortcutRight, now.shortcutRight],
    ['hard questions', first.shortcutWrong, now.shortcutWrong],
    ...Object.entries(now.byOrder)
      .filter(([order]) => !(`order ${order}` in now.heldOut))
      .map(([order, accuracy]): Row => [`order ${order}`, first.byOrder[order], accuracy]),
    ...Object.entries(now.heldOut).map(([name, accuracy]): Row => [
      `${setName(name)}, never trained on`,
      first.heldOut[name],
      accuracy,
    ]),
  ];
  return (
    <section class="panel" aria-labelledby="evaluation">
      <div class="panel-head">
        <h2 id="evaluation">Evaluation at step {now.step}</h2>
        <span>the shortcut alone: right on {percent(now.shortcutLine)} of the questions of belief</span>
      </div>
      <table class="evaluation">
        <thead>
          <tr>
            <th scope="col">Questions</th>
            <th scope="col">how many</th>
            {first === now ? null : <th scope="col">step {first.step}</th>}
            <th scope="col">step {now.step}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, before, after]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{after.count}</td>
              {first === now ? null : (
                <td>
                  {before === undefined || before.count === 0 ? '' : percent(before.accuracy)}
                  {before === undefined || before.count === 0 || before.count === after.count ? null : (
                    <small> of {before.count}</small>
                  )}
                </td>
              )}
              <td>
                {after.count === 0 ? (
                  ''
                ) : (
                  <>
                    {percent(after.accuracy)}{' '}
                    <small>{`${Math.round(100 * after.low)} to ${percent(after.high)}`}</small>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="explain">
        {first.overall.count > now.overall.count
          ? `Step ${first.step} and the last step answer ${first.overall.count} questions, steps in between the first ${now.overall.count} of them. `
          : ''}
        Small figures: the 95 % interval (Wilson’s). A model that takes to the shortcut can rise in most rows;
        “hard questions”, on which it is wrong, tell. Right answers whose trace says something false:{' '}
        {first === now ? null : `${percent(first.rightAnswerWrongTrace)} at step ${first.step}, `}
        {percent(now.rightAnswerWrongTrace)} at step {now.step}. Completions with no reasoning at all:{' '}
        {percent(now.emptyThinkFraction)}.
      </p>
    </section>
  );
}

/** What looks in between do not have. */
function optionalRows(first: EvalReport, now: EvalReport): Row[] {
  const sampled = now.sampled && `sampled at temperature ${now.sampled.temperature}`;
  const rows: [string, Accuracy | undefined, Accuracy | undefined][] = [
    [setName('validation'), first.validation, now.validation],
    ['questions of belief', first.belief, now.belief],
    [`questions of belief, ${sampled}`, first.sampled?.belief, now.sampled?.belief],
    ['factual questions', first.factual, now.factual],
    [`factual questions, ${sampled}`, first.sampled?.factual, now.sampled?.factual],
  ];
  return rows.flatMap(([name, before, after]) =>
    after === undefined || after.count === 0 ? [] : [[name, before, after]],
  );
}

const setNames: Readonly<Record<string, string>> = {
  validation: 'validation set, which only picks the best step',
  're-entry': 'stories in which somebody comes back',
  'other world': 'stories with a weak shortcut',
};

/**
 * What a person would call the sets of questions that training never sees, and the one that chooses the best step.
 *
 * @param name - as files have it
 */
export function setName(name: string): string {
  return setNames[name] ?? name;
}
