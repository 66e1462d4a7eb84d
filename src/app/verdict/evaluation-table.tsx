/** The last evaluation: by order and set with 95 % intervals, and by task and part with the shortcut's accuracy. */
import type { Accuracy } from '../../reward/accuracy';
import type { EvalReport, Evaluation } from '../../run/record/evaluation';
import { measuredAccuracy, measuredFigure, type ReportFigure } from '../../run/verdict/measured';
import { fromStart } from '../../run/verdict/ending';
import { percent, plainNumber, withMinus } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';

type Row = [name: string, of: (report: EvalReport) => Accuracy | undefined];

/** Figures other than accuracies, over the same answers. */
const figures: readonly [name: string, figure: ReportFigure, words: (value: number) => string][] = [
  ['own reward', 'customReward', withMinus],
  ['tokens per completion', 'meanLength', plainNumber],
  ['tokens of thinking', 'meanThinkLength', plainNumber],
  ['completions with no reasoning at all', 'emptyThinkFraction', percent],
  ['statements that are true, mean of the answers (none: 0 %)', 'traceValidity', percent],
  ['correct reasoning on questions of belief', 'faithful', percent],
  ['correct reasoning on hard questions', 'faithfulWrong', percent],
  ['right answers whose reasoning says something false', 'rightAnswerWrongTrace', percent],
];

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
        rows={[
          ...rows.flatMap(([name, of]) => {
            const [before, after] = [of(first), of(now)];
            if (after === undefined || measuredAccuracy(after) === null) return [];
            const earlier =
              before === undefined || before.count === after.count ? null : ` of ${before.count}`;
            return [
              [
                name,
                after.count,
                ...(isCompared ? [<Share of={before} small={earlier} />] : []),
                <Share of={after} small={intervalOf(after)} />,
              ],
            ];
          }),
          ...figures.flatMap(([name, figure, words]) => {
            const [before, after] = [first, now].map((report) => measuredFigure(report, figure));
            if (after === null) return [];
            const earlier = before === null ? '' : words(before);
            return [[name, '', ...(isCompared ? [earlier] : []), words(after)]];
          }),
        ]}
      />
      <p class="explain">
        Small figures: the 95 % interval (Wilson’s). A model that takes to the shortcut can rise in most rows;
        “hard questions”, on which it is wrong, tell.
      </p>
    </section>
  );
}

const intervalOf = ({ low, high }: Accuracy): string => ` ${Math.round(100 * low)} to ${percent(high)}`;

/** Accuracy with a remark in small print; empty without questions. */
function Share({ of, small }: { of: Accuracy | null | undefined; small: string | null }) {
  const measured = measuredAccuracy(of ?? undefined);
  if (measured === null) return null;
  return (
    <>
      {percent(measured)}
      {small === null ? null : <small>{small}</small>}
    </>
  );
}

const setNames: Readonly<Record<string, string>> = {
  're-entry': 'stories in which somebody comes back',
  'other world': 'stories with a weak shortcut',
};

/** Display name of a question set that training never sees. */
export function setName(name: string): string {
  return setNames[name] ?? name;
}

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
          rows={now.rows.map(({ task, part, inDistribution, accuracy, ...shortcut }) => [
            part === 'all' ? task : `${task}, ${setName(part)}`,
            accuracy.count,
            inDistribution ? 'yes' : 'no',
            <Share of={accuracy} small={intervalOf(accuracy)} />,
            shortcut.shortcutLine === null ? '' : percent(shortcut.shortcutLine),
            <Share of={shortcut.shortcutConflict} small={` of ${shortcut.shortcutConflict?.count}`} />,
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
