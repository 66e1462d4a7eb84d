/** Results of a sweep: a table of its arms with intervals over seeds, charts, and a list of its runs. */
import { expandSweep } from '../../run/sweep/sweep';
import { summarise } from '../../run/record/summary';
import { sweepCsv } from '../../share/sweep-csv';
import type { SweepRecord } from '../../store/records';
import { Charts } from '../charts/charts';
import { keptChartRun } from '../charts/lines/curve';
import type { Page } from '../page/page';
import { RunsReport } from '../report/runs-report';
import { standingWords } from '../runs/kept-runs';
import { RunsTable } from '../runs/runs-table';
import { saveFile } from '../ui/files';
import { ArmsTable } from './arms-table';
import { armName } from '../words/arms';
import { useFound } from '../ui/use-found';

type ResultsProps = Pick<Page, 'session' | 'places'> & {
  sweep: SweepRecord;
  showsEndings: boolean;
};

export function SweepResults({ session, places, sweep, showsEndings }: ResultsProps) {
  const runs = session.runs.value;
  const standingOf = (id: string | null): string | undefined => {
    const listed = runs.find((run) => run.id === id);
    return listed && standingWords(listed, session);
  };
  const historyOf = async (id: string | null) =>
    id !== null && runs.some((run) => run.id === id) ? session.history(id) : null;
  const histories = useFound(() => Promise.all(sweep.runs.map(historyOf)), [sweep, runs]);

  const queue = expandSweep(sweep.base, sweep.axes);
  const rows = queue.map(({ arm, config }, index) => {
    const history = histories?.[index] ?? null;
    const name = `${armName(arm)}, seed ${config.seed}`;
    return { arm, config, name, id: sweep.runs[index], status: history?.record.status ?? null, history };
  });
  // A run that still trains would bias its arm towards the start.
  const ended = rows.flatMap(({ arm, status, history }) =>
    status === 'done' && history !== null ? { arm, history } : [],
  );
  const drawn = rows.flatMap(({ arm, config, name, history }) =>
    history === null || history.steps.length === 0 ? [] : [{ ...history, arm, config, name }],
  );
  const save = (): void => {
    const lines = rows.map((row) => ({ ...row, summary: row.history && summarise(row.history) }));
    saveFile('marble-sweep.csv', new Blob([sweepCsv(lines)], { type: 'text/csv' }));
  };
  const go = async (id: string): Promise<void> => {
    await session.open(id);
    places.go({ name: 'run' });
  };
  return (
    <section class="panel compared stack" aria-labelledby="comparison">
      <div class="panel-head">
        <h2 id="comparison">The arms compared</h2>
        <div class="actions on-screen">
          <button onClick={save}>Save as CSV</button>
        </div>
      </div>
      {rows.map(({ name, history }) =>
        history?.record.status !== 'failed' ? null : (
          <p key={name} class="fault">
            <b>{name}</b> failed at step {history.record.step}:{' '}
            {history.record.failure ?? 'why was not kept.'}
          </p>
        ),
      )}
      {ended.length === 0 ? (
        <p class="empty">The first run that ends will stand here.</p>
      ) : (
        <ArmsTable runs={ended} showsEndings={showsEndings} />
      )}
      {drawn.length === 0 ? null : (
        <Charts
          runs={drawn.map((run) => ({ ...keptChartRun(run.name, run), arm: armName(run.arm) }))}
          marksEnding={showsEndings}
        />
      )}
      <details>
        <summary>The {rows.length} runs</summary>
        <RunsTable
          label="Runs of the sweep"
          heading="run"
          showsEndings={showsEndings}
          rows={rows.map(({ config, name, id, history }) => ({
            name,
            config,
            run: history,
            standing: standingOf(id),
            actions:
              id === null || history === null ? undefined : (
                <div class="run-actions row tight">
                  <button disabled={session.activity.value !== 'idle'} onClick={() => void go(id)}>
                    Open<span class="visually-hidden"> {name}</span>
                  </button>
                  <button onClick={() => places.go({ name: 'report', id })}>
                    Report<span class="visually-hidden"> of {name}</span>
                  </button>
                </div>
              ),
          }))}
        />
      </details>
      {drawn.length === 0 ? null : <RunsReport runs={drawn} showsEndings={showsEndings} />}
    </section>
  );
}
