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
import { Scroll, Table } from '../ui/table';

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

type Column = [label: string, cell: (row: RunRow, index: number) => ComponentChildren];

/** A space keeps the figures apart in the lists of a phone. */
const small = (words: string) => [' ', <small>{words}</small>];

export function RunsTable(props: { label: string; heading: string; rows: readonly RunRow[] }) {
  const { label, heading, rows } = props;
  const columns = columnsOf(rows, heading);
  return (
    <Scroll label={label}>
      <Table
        class="runs-table is-list"
        head={columns.map(([words]) => words)}
        rows={rows.map((row, index) => columns.map(([, cell]) => cell(row, index)))}
      />
    </Scroll>
  );
}

function columnsOf(rows: readonly RunRow[], heading: string): Column[] {
  const { columns, rows: settings } = differingWords(rows.map(({ config }) => config));
  return [
    [heading, ({ name, isRepeated }) => [name, isRepeated ? small('made twice, does not count') : null]],
    ...columns.flatMap((path, place): Column[] => {
      // The column "steps" shows the planned steps.
      if (path === 'steps') return [];
      return [[settingLabel(path), (_, index) => valueWords(path, settings[index][place])]];
    }),
    [
      'steps',
      ({ history, config, standing }) => {
        if (history === null) return 'not begun';
        const { status } = history.record;
        const taken = `${history.steps.at(-1)?.step ?? 0} of ${config.steps}`;
        return [taken, status === 'done' ? null : small(standing ?? statusWords[status])];
      },
    ],
    ...verdictColumns,
    ['run', ({ actions }) => actions],
  ];
}

const verdictOf = ({ history }: RunRow): Verdict | undefined => history?.evals.at(-1)?.verdict;

const verdictColumns: readonly Column[] = [
  [
    'verdict',
    ({ history }) => {
      const standing = history && standingOf(history.evals);
      return standing === null ? 'none' : endingWords(standing);
    },
  ],
  changeColumn('belief', 'right on beliefs, start → end'),
  changeColumn('wrong', 'hard questions right, start → end'),
  [
    'thinking left',
    (row) => {
      const verdict = verdictOf(row);
      const ratio = verdict && measuredLength(verdict)?.ratio;
      return ratio && [percent(ratio.value), small(between(ratio))];
    },
  ],
  changeColumn('faithful', 'correct reasoning, start → end'),
  changeColumn('faithfulWrong', 'correct reasoning on hard questions'),
];

/** Column of a share, with the 90 % interval of its change in percentage points, which the verdict uses. */
function changeColumn(key: 'belief' | 'wrong' | 'faithful' | 'faithfulWrong', label: string): Column {
  const cell: Column[1] = (row) => {
    const figure = measuredChange(verdictOf(row)?.[key] ?? null);
    if (figure === null) return null;
    const { low, high } = figure.change;
    return [fromTo(figure), small(`${signedPoints(low)} to ${signedPoints(high)}`)];
  };
  return [label, cell];
}
