/**
 * Runs as rows of a table: the settings that set them apart, how far they came, and their verdicts with intervals. A
 * heading sorts by its column, and the row that is pointed at stands out in the charts beside it.
 */
import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RunConfig } from '../../run/config/config';
import { endings, standingOf } from '../../run/verdict/ending';
import type { Verdict } from '../../run/record/evaluation';
import type { History } from '../../run/record/history';
import type { RunStatus } from '../../run/record/run-record';
import { differingSettings, settingName } from '../../share/differing';
import { highlighted } from '../charts/chart-view';
import { endingWords, signed, verdictsOf } from '../verdict/ending-words';
import { statusWords } from './kept-runs';
import { percent } from '../ui/numbers';
import { ListTable } from '../ui/list-table';

export interface RunRow {
  key: string;
  /** As in the charts. */
  name: string;
  config: RunConfig;
  /** Null where it has not begun. */
  run: (History & { status: RunStatus }) | null;
  /** What else is to be said of it, in a few words. */
  remark?: string;
  actions?: ComponentChildren;
}

export interface Sorting {
  key: string;
  isDown: boolean;
}

interface Column {
  key: string;
  label: string;
  title?: string;
  cell: (row: RunRow, index: number) => ComponentChildren;
  /** Null, which stands last in either direction, where the row has no value. */
  by: (row: RunRow, index: number) => number | string | null;
}

/** 9 before 10, also within a name. */
const collator = new Intl.Collator(undefined, { numeric: true });

export function RunsTable(props: {
  label: string;
  /** What the first column names. */
  heading: string;
  rows: readonly RunRow[];
  showsEndings?: boolean;
  /** Kept by whoever shows the table again; else it ends with the table. */
  sorting?: Signal<Sorting | null>;
}) {
  const { label, heading, rows, showsEndings = true } = props;
  const ownSorting = useSignal<Sorting | null>(null);
  const sorted = props.sorting ?? ownSorting;
  useEffect(() => () => void (highlighted.value = null), []);
  const columns = columnsOf(rows, heading, showsEndings);
  const hasActions = rows.some(({ actions }) => actions !== undefined);
  const order = orderOf(rows, columns.find(({ key }) => key === sorted.value?.key) ?? null);
  if (sorted.value?.isDown === true) order.present.reverse();
  const directionOf = (key: string) =>
    sorted.value?.key !== key ? undefined : sorted.value.isDown ? 'descending' : 'ascending';
  const sortBy = (key: string): void => {
    sorted.value = { key, isDown: sorted.value?.key === key && !sorted.value.isDown };
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <ListTable class="evaluation runs-table is-list">
        <thead>
          <tr>
            {columns.map(({ key, label: words, title }) => (
              <th scope="col" key={key} title={title} aria-sort={directionOf(key)}>
                <button type="button" class="sort" onClick={() => sortBy(key)}>
                  {words}
                </button>
              </th>
            ))}
            {hasActions ? (
              <th scope="col" class="on-screen">
                run
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {[...order.present, ...order.absent].map((index) => {
            const row = rows[index];
            return (
              <tr
                key={row.key}
                onMouseEnter={() => (highlighted.value = row.name)}
                onMouseLeave={() => (highlighted.value = null)}
                onFocusIn={() => (highlighted.value = row.name)}
                onFocusOut={() => (highlighted.value = null)}
              >
                {columns.map(({ key, label: words, cell }, place) =>
                  place === 0 ? (
                    <th scope="row" key={key}>
                      {cell(row, index)}
                    </th>
                  ) : (
                    <td key={key} data-label={words}>
                      {cell(row, index)}
                    </td>
                  ),
                )}
                {hasActions ? <td class="on-screen">{row.actions}</td> : null}
              </tr>
            );
          })}
        </tbody>
      </ListTable>
    </div>
  );
}

/** Places of the rows, ascending by the column, and of those that have no value in it. */
function orderOf(
  rows: readonly RunRow[],
  column: Column | null,
): { present: number[]; absent: readonly number[] } {
  const places = rows.map((_, index) => index);
  if (column === null) return { present: places, absent: [] };
  const values = rows.map(column.by);
  const compare = (a: number | string, b: number | string): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return {
    present: places.filter((place) => values[place] !== null).sort((a, b) => compare(values[a]!, values[b]!)),
    absent: places.filter((place) => values[place] === null),
  };
}

function columnsOf(rows: readonly RunRow[], heading: string, showsEndings: boolean): Column[] {
  const { columns, rows: settings } = differingSettings(rows.map(({ config }) => config));
  return [
    {
      key: 'name',
      label: heading,
      cell: ({ name, remark }) => (
        <>
          {name}
          {remark === undefined ? null : <small>{remark}</small>}
        </>
      ),
      by: ({ name }) => name,
    },
    ...columns.flatMap((path, place): Column | [] => {
      // Of how many it has taken its steps stands in a column of its own.
      if (path === 'steps') return [];
      const text = (index: number): string => settings[index][place];
      return {
        key: path,
        label: settingName(path),
        title: path,
        cell: (_, index) => text(index),
        by: (_, index) => (text(index) === '' ? null : text(index)),
      };
    }),
    {
      key: 'steps taken',
      label: 'steps',
      cell: ({ run, config }) => (
        <>
          {run === null ? 'not begun' : `${stepsOf(run)} of ${config.steps}`}
          {run === null || run.status === 'done' ? null : <small>{statusWords[run.status]}</small>}
        </>
      ),
      by: ({ run }) => run && stepsOf(run),
    },
    ...(showsEndings ? verdictColumns : []),
  ];
}

const stepsOf = ({ steps }: History): number => steps.at(-1)?.step ?? 0;

const standing = ({ run }: RunRow) => (run === null ? null : standingOf(verdictsOf(run.evals)));

function verdictOf({ run }: RunRow): Verdict | null {
  return (run && verdictsOf(run.evals).at(-1)) ?? null;
}

const verdictColumns: readonly Column[] = [
  {
    key: 'verdict',
    label: 'verdict',
    cell: (row) => {
      const found = standing(row);
      return found === null ? 'none' : endingWords(found);
    },
    by: (row) => {
      const found = standing(row);
      return found && endings.indexOf(found.ending);
    },
  },
  changeColumn('belief', 'right on beliefs, start → end'),
  changeColumn('wrong', 'hard questions right, start → end'),
  {
    key: 'length',
    label: 'thinking left',
    cell: (row) => {
      const ratio = verdictOf(row)?.length.ratio;
      return ratio === undefined ? null : (
        <>
          {percent(ratio.value)}
          <small>
            {Math.round(100 * ratio.low)} to {percent(ratio.high)}
          </small>
        </>
      );
    },
    by: (row) => verdictOf(row)?.length.ratio.value ?? null,
  },
  changeColumn('faithful', 'true thinking, start → end'),
  changeColumn('faithfulWrong', 'true thinking on hard questions'),
];

/** A share, with the 90 % interval of its change that the verdict goes by, in hundredths. */
function changeColumn(key: 'belief' | 'wrong' | 'faithful' | 'faithfulWrong', label: string): Column {
  return {
    key,
    label,
    cell: (row) => {
      const figure = verdictOf(row)?.[key];
      return figure == null ? null : (
        <>
          {Math.round(100 * figure.before)} → {percent(figure.now)}
          <small>
            {signed(100 * figure.change.low)} to {signed(100 * figure.change.high)}
          </small>
        </>
      );
    },
    by: (row) => verdictOf(row)?.[key]?.now ?? null,
  };
}
