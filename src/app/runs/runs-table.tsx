/** Table of runs: the settings in which they differ, their steps, and their verdicts with intervals. */
import type { ComponentChildren } from 'preact';
import type { RunConfig } from '../../run/config/config';
import { standingOf } from '../../run/verdict/ending';
import type { Verdict } from '../../run/record/evaluation';
import type { RunHistory } from '../../run/record/history';
import { measuredChange, measuredLength } from '../../run/verdict/measured';
import { differingWords, settingLabel, valueWords } from '../words/run-words';
import { endingWords } from '../words/ending-words';
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
  /** Another run has the same settings and seed, and counts in its place. */
  isRepeated?: boolean;
  actions?: ComponentChildren;
}

interface Column {
  label: string;
  title?: string;
  cell: (row: RunRow, index: number) => ComponentChildren;
}

const small = (words: string) => <small>{words}</small>;

export function RunsTable(props: { label: string; heading: string; rows: readonly RunRow[] }) {
  const { label, heading, rows } = props;
  const columns = columnsOf(rows, heading);
  const hasActions = rows.some(({ actions }) => actions !== undefined);
  const head = columns.map(({ label: words, title }): Heading => ({ words, label: words, title }));
  return (
    <Scroll label={label}>
      <Table
        class="runs-table is-list"
        head={hasActions ? [...head, 'run'] : head}
        rows={rows.map((row, index) => [
          ...columns.map(({ cell }) => cell(row, index)),
          ...(hasActions ? [row.actions] : []),
        ])}
      />
    </Scroll>
  );
}

function columnsOf(rows: readonly RunRow[], heading: string): Column[] {
  const { columns, rows: settings } = differingWords(rows.map(({ config }) => config));
  return [
    {
      label: heading,
      cell: ({ name, isRepeated }) => [name, isRepeated ? small('made twice, does not count') : null],
    },
    ...columns.flatMap((path, place): Column | [] => {
      // The column "steps" shows the planned steps.
      if (path === 'steps') return [];
      const cell: Column['cell'] = (_, index) => valueWords(path, settings[index][place]);
      return { label: settingLabel(path), title: path, cell };
    }),
    {
      label: 'steps',
      cell: ({ history, config, standing }) => {
        if (history === null) return 'not begun';
        const { status } = history.record;
        const taken = `${history.steps.at(-1)?.step ?? 0} of ${config.steps}`;
        return [taken, status === 'done' ? null : small(standing ?? statusWords[status])];
      },
    },
    ...verdictColumns,
  ];
}

const verdictOf = ({ history }: RunRow): Verdict | undefined => history?.evals.at(-1)?.verdict;

const verdictColumns: readonly Column[] = [
  {
    label: 'verdict',
    cell: ({ history }) => {
      const standing = history && standingOf(history.evals);
      return standing === null ? 'none' : endingWords(standing);
    },
  },
  changeColumn('belief', 'right on beliefs, start → end'),
  changeColumn('wrong', 'hard questions right, start → end'),
  {
    label: 'thinking left',
    cell: (row) => {
      const verdict = verdictOf(row);
      const ratio = verdict && measuredLength(verdict)?.ratio;
      return ratio && [percent(ratio.value), small(between(ratio))];
    },
  },
  changeColumn('faithful', 'correct reasoning, start → end'),
  changeColumn('faithfulWrong', 'correct reasoning on hard questions'),
];

/** Column of a share, with the 90 % interval of its change in percentage points, which the verdict uses. */
function changeColumn(key: 'belief' | 'wrong' | 'faithful' | 'faithfulWrong', label: string): Column {
  return {
    label,
    cell: (row) => {
      const figure = measuredChange(verdictOf(row)?.[key] ?? null);
      if (figure === null) return null;
      const { low, high } = figure.change;
      return [fromTo(figure), small(`${signedPoints(low)} to ${signedPoints(high)}`)];
    },
  };
}
