/** Compares the runs of a class or a sweep: endings and means of each arm with intervals, curves, and a table of all runs. */
import type { RunHistory } from '../../run/record/history';
import { summarise } from '../../run/record/summary';
import { sweepCsv } from '../../share/csv';
import { Charts } from '../charts/charts';
import { keptChartRun } from '../charts/lines/curve';
import { RunsTable, type RunRow } from '../runs/runs-table';
import { saveFile } from '../ui/files';
import { endings } from '../../run/verdict/ending';
import {
  compareArms,
  pairArms,
  type PairedDifference,
  type PairedFigure,
} from '../../run/sweep/compare-arms';
import { FEWEST_VALUES } from '../../base/statistics';
import { percent, signedPoints } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';

interface ComparedRow extends RunRow {
  /** Settings that distinguish its arm, in words. */
  arm: string;
}

export function Comparison({ of, rows }: { of: 'class' | 'sweep'; rows: readonly ComparedRow[] }) {
  const saveCsv = (): void => {
    const lines = rows.map(({ name, arm, config, history }) => ({
      ...(of === 'class' && { student: name }),
      ...{ arm, config, summary: history && summarise(history) },
      ...{ id: history?.record.id ?? null, status: history?.record.status ?? null },
    }));
    saveFile(`marble-${of}.csv`, new Blob([sweepCsv(lines)], { type: 'text/csv' }));
  };
  const begun = rows.flatMap(({ history, ...row }) => (history === null ? [] : [{ ...row, history }]));
  // Before its end, a run would bias its arm towards the start.
  const counting = begun.filter(({ history, isRepeated }) => history.record.status === 'done' && !isRepeated);
  const drawn = (counting.length > 0 ? counting : begun).filter(({ history }) => history.steps.length > 0);
  const curves = drawn.map(({ name, arm, history }) => ({ ...keptChartRun(name, history), arm }));
  return (
    <>
      {counting.length === 0 ? (
        <p class="empty">No run has ended yet: there is no mean to take.</p>
      ) : (
        <ArmsTable runs={counting} />
      )}
      {curves.length === 0 ? null : <Charts runs={curves} />}
      <div class="actions">
        <button onClick={saveCsv}>Save as CSV</button>
      </div>
      <details open={of === 'class'}>
        <summary>All {rows.length} runs</summary>
        <div class="beside-charts">
          <RunsTable label={`Runs of the ${of}`} heading={of === 'class' ? 'student' : 'run'} rows={rows} />
        </div>
        <p class="explain">
          Small figures are 90 % intervals over the questions of that run, the ones its verdict goes by; under
          “start → end” that of the change, in points.
        </p>
      </details>
    </>
  );
}

const figureNames: Record<PairedFigure, string> = {
  accuracy: 'accuracy',
  hard: 'hard questions',
  lengthRatio: 'thinking left, at the test',
  trueStatements: 'true statements, at the test',
  faithful: 'correct reasoning',
  faithfulHard: 'correct reasoning, hard questions',
};
const figures = Object.keys(figureNames) as PairedFigure[];

function ArmsTable({ runs }: { runs: readonly (ComparedRow & { history: RunHistory })[] }) {
  const histories = runs.map(({ history }) => history);
  const comparisons = compareArms(runs, histories);
  const pairs = pairArms(runs, histories);
  return (
    <>
      <Scroll label="Arms compared">
        <Table
          class="evaluation arms small is-list"
          head={['Arm', 'runs', 'verdicts', ...figures.map((figure) => figureNames[figure])]}
          rows={comparisons.map((row) => [
            row.arm,
            row.runs,
            endings.map((ending) =>
              row.endings[ending] === 0 ? null : (
                <span key={ending} class="ending">
                  {row.endings[ending]} {ending}
                </span>
              ),
            ),
            ...figures.map((figure) => meanWords(row[figure], percent)),
          ])}
        />
      </Scroll>
      {pairs.length === 0 ? null : (
        <Scroll label="Differences seed by seed">
          <Table
            class="evaluation is-list"
            caption="Differences seed by seed, in points"
            head={['Arm', 'seeds in both', ...figures.map((figure) => figureNames[figure])]}
            rows={pairs.map(({ arm, against, seeds, differences }) => [
              `${arm} less ${against}`,
              seeds.length,
              ...figures.map((figure) => meanWords(differences[figure], signedPoints)),
            ])}
          />
        </Scroll>
      )}
      {comparisons.some((arm) => arm.runs < FEWEST_VALUES) ? (
        <p>Too few runs for an interval that tells anything: an arm needs {FEWEST_VALUES}.</p>
      ) : null}
      <p class="explain">
        Means over the runs that have ended, ± half of their 95 % intervals (Student’s), in the tests, which
        take the likeliest token. “Hard questions”: right answers where the shortcut is wrong. “Thinking
        left”: tokens of thinking at the last test as a part of those at the start, over all questions; a
        verdict takes those of belief alone. “True statements”: mean of the answers, in which one without any
        counts 0.{' '}
        {pairs.length === 0
          ? 'If the intervals of two arms overlap, the runs do not show that the arms differ.'
          : 'If the interval of a difference seed by seed contains 0, the runs do not show that the arms differ.'}
      </p>
    </>
  );
}

/** A mean with half of its interval in points: `61 % ± 7.3`, `+4.2 ± 1.0`. */
function meanWords(figure: PairedDifference | null, words: (mean: number) => string): string {
  if (figure === null) return 'none';
  const { mean, margin } = figure;
  return `${words(mean)}${margin === null ? '' : ` ± ${(100 * margin).toFixed(1)}`}`;
}
