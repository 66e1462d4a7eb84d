/** The last evaluation by task and part: in or out of distribution, interval, shortcut line, and where the shortcut is wrong. */
import type { Accuracy } from '../../reward/accuracy';
import type { SuiteRow } from '../../reward/suites';
import type { Evaluation } from '../../run/record/evaluation';
import { percent } from '../ui/numbers';
import { setName } from './evaluation-table';

export function TaskTable({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const now = evaluations.at(-1)?.report;
  if (now?.rows === undefined || now.rows.length === 0) return null;
  const isScored = now.rows.some(({ macroF1 }) => macroF1 !== null);
  return (
    <details class="panel tasks">
      <summary>By task and order at step {now.step}, with the shortcut’s share</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Evaluation by task">
        <table class="evaluation">
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">how many</th>
              <th scope="col">trained on its kind</th>
              <th scope="col">right</th>
              <th scope="col">95 % interval</th>
              {isScored ? <th scope="col">macro-F1 (unread)</th> : null}
              <th scope="col">shortcut alone</th>
              <th scope="col">hard questions</th>
            </tr>
          </thead>
          <tbody>
            {now.rows.map((row) => (
              <TaskRow key={`${row.task} ${row.part}`} row={row} isScored={isScored} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="explain">
        An answer is right by the rule of its data set’s own evaluation. The shortcut tracks no belief: it
        names where the thing was after the first event (swap) or when the first of those asked about left
        (the others).
      </p>
    </details>
  );
}

function TaskRow({ row, isScored }: { row: SuiteRow; isScored: boolean }) {
  const { task, part, inDistribution, accuracy, macroF1, shortcutLine, shortcutConflict } = row;
  return (
    <tr>
      <th scope="row">{part === 'all' ? task : `${task}, ${setName(part)}`}</th>
      <td>{accuracy.count}</td>
      <td>{inDistribution ? 'yes' : 'no'}</td>
      <td>{share(accuracy)}</td>
      <td>{interval(accuracy)}</td>
      {isScored ? (
        <td>{macroF1 === null ? '' : `${percent(macroF1.macroF1)} (${percent(macroF1.corruption)})`}</td>
      ) : null}
      <td>{shortcutLine === null ? '' : percent(shortcutLine)}</td>
      <td>
        {shortcutConflict === null || shortcutConflict.count === 0
          ? ''
          : `${share(shortcutConflict)} of ${shortcutConflict.count}`}
      </td>
    </tr>
  );
}

const share = ({ count, accuracy }: Accuracy): string => (count === 0 ? '' : percent(accuracy));

const interval = ({ count, low, high }: Accuracy): string =>
  count === 0 ? '' : `${percent(low)} to ${percent(high)}`;
