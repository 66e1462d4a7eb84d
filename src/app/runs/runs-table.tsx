/**
 * Table of runs: the settings in which they differ, their steps, and their verdicts with intervals. A heading sorts by its
 * column. Pointing at a row highlights its run in the charts.
 */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RunConfig } from '../../run/config/config';
import { endings, judgedEnding, standingOf } from '../../run/verdict/ending';
import type { Verdict } from '../../run/record/evaluation';
import type { RunHistory } from '../../run/record/history';
import { measuredChange, measuredLength } from '../../run/verdict/measured';
import { differingWords, settingLabel, valueWords } from '../words/run-words';
import { highlighted } from '../charts/chart-view';
import { guessResult } from '../../run/verdict/guess';
import { endingWords } from '../words/ending-words';
import { guessWords, resultMarks } from '../words/guess-words';
import { between, fromTo, percent, signedPoints } from '../ui/numbers';
import { statusWords } from './kept-runs';
import { Scroll, Table, type Heading } from '../ui/table';

export interface RunRow {
  /** The same name as in the charts. */
  name: string;
  config: RunConfig;
  /** Null for a run that has not begun. */
  history: RunHistory | null;
  /** Status of the run in words. Defaults to that of its record. */
  standing?: string | undefined;
  remark?: string;
  actions?: ComponentChildren;
}

export interface Sorting {
  key: string;
  isDown: boolean;
}

interface Cell {
  words: string;
  small?: string;
  /** Sort key; undefined without a value. Such cells sort last in both directions. */
  by?: number | string;
}

interface Column {
  key: string;
  label: string;
  title?: string;
  cell: (row: RunRow, index: number) => Cell;
}

/** Sorts 9 before 10, also within a name. */
const collator = new Intl.Collator(undefined, { numeric: true });

/** Milliseconds for which a line stays after its row: the charts must not move under the press that takes the focus. */
const lingering = 400;

export function RunsTable(props: {
  label: string;
  heading: string;
  rows: readonly RunRow[];
  showsEndings: boolean;
  /** Outlives the table. */
  sorting: Signal<Sorting | null>;
}) {
  const { label, heading, rows, showsEndings, sorting } = props;
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const point = (name: string | null): void => {
    clearTimeout(leaving.current);
    if (name !== null) highlighted.value = name;
    else leaving.current = setTimeout(() => (highlighted.value = null), lingering);
  };
  useEffect(() => () => point(null), []);
  const columns = columnsOf(rows, heading, showsEndings);
  const hasActions = rows.some(({ actions }) => actions !== undefined);
  const { key: by, isDown = false } = sorting.value ?? {};
  const cells = rows.map((row, index) => columns.map(({ cell }) => cell(row, index)));
  const sortedBy = columns.findIndex(({ key }) => key === by);
  const order = rows.map((_, index) => index);
  if (sortedBy >= 0)
    order.sort((one, other) => compared(cells[one][sortedBy].by, cells[other][sortedBy].by, isDown));
  const head = columns.map(({ key, label: words, title }): Heading => ({
    words: (
      <button class="inline sort" onClick={() => (sorting.value = { key, isDown: key === by && !isDown })}>
        {words}
      </button>
    ),
    label: words,
    title,
    sort: key !== by ? undefined : isDown ? 'descending' : 'ascending',
  }));
  return (
    <Scroll label={label}>
      <Table
        class="evaluation runs-table is-list"
        onPoint={(place) => point(place === null ? null : rows[order[place]].name)}
        head={hasActions ? [...head, { words: 'run', class: 'on-screen' }] : head}
        rows={order.map((index) => [
          ...cells[index].map(({ words, small }) => [
            words,
            small === undefined ? null : <small>{small}</small>,
          ]),
          ...(hasActions ? [rows[index].actions] : []),
        ])}
      />
    </Scroll>
  );
}

function compared(a: Cell['by'], b: Cell['by'], isDown: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const ascending =
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return isDown ? -ascending : ascending;
}

function columnsOf(rows: readonly RunRow[], heading: string, showsEndings: boolean): Column[] {
  const { columns, rows: settings } = differingWords(rows.map(({ config }) => config));
  return [
    {
      key: 'name',
      label: heading,
      cell: ({ name, remark }) => ({ words: name, small: remark, by: name }),
    },
    ...columns.flatMap((path, place): Column | [] => {
      // The column "steps" shows the planned steps.
      if (path === 'steps') return [];
      const cell = (_: RunRow, index: number): Cell => {
        const text = settings[index][place];
        // The collator takes the digits after a point for a whole number.
        const by = Number.isNaN(Number(text)) ? text : Number(text);
        return { words: valueWords(path, text), by: text === '' ? undefined : by };
      };
      return { key: path, label: settingLabel(path), title: path, cell };
    }),
    {
      key: 'steps taken',
      label: 'steps',
      cell: ({ history, config, standing }) => {
        if (history === null) return { words: 'not begun' };
        const taken = history.steps.at(-1)?.step ?? 0;
        const { status } = history.record;
        const small = status === 'done' ? undefined : (standing ?? statusWords[status]);
        return { words: `${taken} of ${config.steps}`, small, by: taken };
      },
    },
    ...(rows.some(({ history }) => history?.record.guess !== undefined) ? [guessColumn(showsEndings)] : []),
    ...(showsEndings ? verdictColumns : []),
  ];
}

const guessColumn = (showsEndings: boolean): Column => ({
  key: 'guess',
  label: 'guess',
  cell: ({ history }) => {
    const guess = history?.record.guess;
    if (guess === undefined) return { words: 'none' };
    const ending = showsEndings ? judgedEnding(history!.evals) : null;
    const small = ending === null ? undefined : resultMarks[guessResult(guess, ending)].words;
    return { words: guessWords[guess], small, by: `${small ?? ''} ${guess}` };
  },
});

const verdictOf = ({ history }: RunRow): Verdict | undefined => history?.evals.at(-1)?.verdict;

const verdictColumns: readonly Column[] = [
  {
    key: 'verdict',
    label: 'verdict',
    cell: ({ history }) => {
      const standing = history && standingOf(history.evals);
      if (standing === null) return { words: 'none' };
      return { words: endingWords(standing), by: endings.indexOf(standing.ending) };
    },
  },
  changeColumn('belief', 'right on beliefs, start → end'),
  changeColumn('wrong', 'hard questions right, start → end'),
  {
    key: 'length',
    label: 'thinking left',
    cell: (row) => {
      const verdict = verdictOf(row);
      const ratio = verdict && measuredLength(verdict)?.ratio;
      if (ratio === undefined) return { words: '' };
      return { words: percent(ratio.value), small: between(ratio), by: ratio.value };
    },
  },
  changeColumn('faithful', 'correct reasoning, start → end'),
  changeColumn('faithfulWrong', 'correct reasoning on hard questions'),
];

/** Column of a share, with the 90 % interval of its change in percentage points, which the verdict uses. */
function changeColumn(key: 'belief' | 'wrong' | 'faithful' | 'faithfulWrong', label: string): Column {
  return {
    key,
    label,
    cell: (row) => {
      const figure = measuredChange(verdictOf(row)?.[key] ?? null);
      if (figure === null) return { words: '' };
      const { low, high } = figure.change;
      const small = `${signedPoints(low)} to ${signedPoints(high)}`;
      return { words: fromTo(figure), small, by: figure.now };
    },
  };
}
