/** The last evaluation: by order and set with 95 % intervals, and by task and part with the shortcut's accuracy. */
import type { Accuracy } from '../../reward/accuracy';
import type { EvalReport, Evaluation } from '../../run/record/evaluation';
import { measuredAccuracy, measuredFigure, type ReportFigure } from '../../run/verdict/measured';
import { fromStart } from '../../run/verdict/ending';
import { between, percent, plainNumber, withMinus } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';

type Value = Accuracy | number | null | undefined;

type Row = [name: string, of: (report: EvalReport) => Value, words?: (value: number) => string];

/** Null if it is not measured, such as an accuracy without questions. */
const numberOf = (value: Value): number | null =>
  typeof value === 'number' ? value : measuredAccuracy(value ?? undefined);

const figure = (name: ReportFigure) => (report: EvalReport) => measuredFigure(report, name);

export function EvaluationTable({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const first = fromStart(evaluations).at(0)?.report;
  const now = evaluations.at(-1)?.report;
  if (first === undefined || now === undefined) return null;
  const isCompared = first !== now;
  const sampled = now.sampled && `sampled at temperature ${now.sampled.temperature}`;
  const trained = Object.keys(now.byOrder).filter((order) => !(`order ${order}` in now.heldOut));
  const rows: Row[] = [
    ['all questions', ({ overall }) => overall],
    ['questions of belief', ({ belief }) => belief],
    [`questions of belief, ${sampled}`, (report) => report.sampled?.belief],
    ['factual questions', ({ factual }) => factual],
    [`factual questions, ${sampled}`, (report) => report.sampled?.factual],
    ['easy questions', ({ shortcutRight }) => shortcutRight],
    ['hard questions', ({ shortcutWrong }) => shortcutWrong],
    ...trained.map((order): Row => [`order ${order}`, ({ byOrder }) => byOrder[order]]),
    ...Object.keys(now.heldOut).map((name): Row => [
      `${setName(name)}, never trained on`,
      ({ heldOut }) => heldOut[name],
    ]),
    ['own reward', figure('customReward'), withMinus],
    ['tokens per completion', figure('meanLength'), plainNumber],
    ['tokens of thinking', figure('meanThinkLength'), plainNumber],
    ['completions with no reasoning at all', figure('emptyThinkFraction')],
    ['statements that are true, mean of the answers (none: 0 %)', figure('traceValidity')],
    ['correct reasoning on questions of belief', figure('faithful')],
    ['correct reasoning on hard questions', figure('faithfulWrong')],
    ['right answers whose reasoning says something false', figure('rightAnswerWrongTrace')],
  ];
  const shortcut = measuredFigure(now, 'shortcutLine');
  return (
    <section class="panel" aria-labelledby="evaluation">
      <div class="panel-head">
        <h2 id="evaluation">Evaluation at step {now.step}</h2>
        {shortcut === null ? null : (
          <span>the shortcut alone: right on {percent(shortcut)} of the questions of belief</span>
        )}
      </div>
      <Table
        class="evaluation is-list"
        head={['Questions', 'how many', ...(isCompared ? [`step ${first.step}`] : []), `step ${now.step}`]}
        rows={rows.flatMap(([name, of, words]) => {
          const [before, after] = [of(first), of(now)];
          if (numberOf(after) === null) return [];
          const values = isCompared ? [before, after] : [after];
          const count = typeof after === 'object' ? after?.count : null;
          return [[name, count, ...values.map((value) => <Cell value={value} words={words} />)]];
        })}
      />
      <p class="explain">
        Small figures: the 95 % interval (Wilson’s). A model that takes to the shortcut can rise in most rows;
        “hard questions”, on which it is wrong, tell.
      </p>
    </section>
  );
}

/** An accuracy has its interval in small print. */
function Cell({ value, words = percent }: { value: Value; words?: (value: number) => string }) {
  const measured = numberOf(value);
  if (measured === null) return null;
  if (typeof value !== 'object' || value === null) return words(measured);
  return (
    <>
      {words(measured)} <small>{between(value)}</small>
    </>
  );
}

/** Display names of question sets that training never sees. */
const setNames: Readonly<Record<string, string>> = {
  're-entry': 'stories in which somebody comes back',
  'other world': 'stories with a weak shortcut',
};
const setName = (name: string): string => setNames[name] ?? name;

/** By task and part: in or out of distribution, interval, accuracy of the shortcut, and accuracy where it is wrong. */
export function TaskTable({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const now = evaluations.at(-1)?.report;
  if (now?.rows === undefined || now.rows.length === 0) return null;
  return (
    <details class="panel">
      <summary>By task and order at step {now.step}, with the shortcut’s share</summary>
      <Scroll label="Evaluation by task">
        <Table
          class="evaluation"
          head={['Task', 'how many', 'trained on its kind', 'right', 'shortcut alone', 'hard questions']}
          rows={now.rows.map(({ task, part, inDistribution, accuracy, shortcutLine, shortcutConflict }) => [
            part === 'all' ? task : `${task}, ${setName(part)}`,
            accuracy.count,
            inDistribution ? 'yes' : 'no',
            <Cell value={accuracy} />,
            shortcutLine === null ? '' : percent(shortcutLine),
            <Cell value={shortcutConflict} />,
          ])}
        />
      </Scroll>
      <p class="explain">
        An answer is right by the rule of its data set’s own evaluation. The shortcut tracks no belief: it
        names where the thing was after the first event (swap) or when the first of those asked about left
        (the others).
      </p>
    </details>
  );
}
