/** A sweep compared: its arms in a table with intervals over seeds, its runs with links, their curves together. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { compareArms, expandSweep, type Spread } from '../../run/sweep';
import { summarise, type RunSummary } from '../../run/summary';
import { endings } from '../../run/ending';
import { sweepCsv } from '../../share/sweep-csv';
import type { SweepRecord } from '../../store/records';
import type { KeptRun } from '../../../workers/protocol';
import { percent } from '../numbers';
import { Charts } from '../charts';
import type { Page } from '../page';
import { saveFile } from '../save-file';
import { statusWords } from '../kept-runs';
import { endingWords } from '../ending-words';
import { armName } from './words';

export function SweepResults({ page, sweep }: { page: Page; sweep: SweepRecord }) {
  const { session, places } = page;
  const histories = useSignal<readonly (KeptRun | null)[]>([]);
  const runs = session.runs.value;
  useEffect(() => {
    let wanted = true;
    const kept = sweep.runs.map((id) => runs.find((run) => run.id === id));
    void Promise.all(
      kept.map((run) => (run === undefined ? Promise.resolve(null) : session.history(run.id))),
    ).then((found) => {
      if (wanted) histories.value = found;
    });
    return () => {
      wanted = false;
    };
  }, [sweep, runs]);

  const queue = expandSweep(sweep.base, sweep.axes);
  const rows = queue.map(({ arm, config }, index) => {
    const history = histories.value[index] ?? null;
    return {
      arm,
      config,
      id: sweep.runs[index],
      status: history?.record.status ?? null,
      history,
      summary: history === null ? null : summarise(history),
    };
  });
  // A run that is still going would pull its arm towards its beginning.
  const comparisons = compareArms(
    queue,
    rows.map(({ status, history }) => (status === 'done' ? history : null)),
  );
  const arms = [...new Set(queue.map(({ arm }) => arm))];
  const drawn = rows.filter(({ history }) => history !== null && history.steps.length > 0);
  const go = async (id: string): Promise<void> => {
    await session.open(id);
    places.go({ name: 'run' });
  };
  return (
    <section class="panel" aria-labelledby="comparison">
      <div class="panel-head">
        <h2 id="comparison">The arms compared</h2>
        <button
          type="button"
          onClick={() => saveFile('marble-sweep.csv', new Blob([sweepCsv(rows)], { type: 'text/csv' }))}
        >
          Save as CSV
        </button>
      </div>
      {rows.map(({ arm, config, history }, index) =>
        history?.record.status !== 'failed' ? null : (
          <p key={index} class="fault">
            <b>
              {armName(arm)}, seed {config.seed}
            </b>{' '}
            failed at step {history.record.step}: {history.record.failure ?? 'why was not kept.'}
          </p>
        ),
      )}
      {comparisons.length === 0 ? (
        <p class="empty">The first run that ends will stand here.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Arms compared">
          <table class="evaluation">
            <thead>
              <tr>
                <th scope="col">Arm</th>
                <th scope="col">runs</th>
                {endings.map((ending) => (
                  <th key={ending} scope="col">
                    {ending}
                  </th>
                ))}
                <th scope="col">accuracy</th>
                <th scope="col">its change</th>
                <th scope="col">shortcut wrong</th>
                <th scope="col">length against step 0</th>
              </tr>
            </thead>
            <tbody>
              {comparisons.map((row) => (
                <tr key={row.arm}>
                  <th scope="row">{armName(row.arm)}</th>
                  <td>{row.runs}</td>
                  {endings.map((ending) => (
                    <td key={ending}>
                      {row.endings[ending]} of {row.runs}
                    </td>
                  ))}
                  <td>{spread(row.accuracy)}</td>
                  <td>{spread(row.accuracyChange, true)}</td>
                  <td>{spread(row.shortcutWrong)}</td>
                  <td>{spread(row.lengthRatio)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="explain">
        Mean over the seeds that have ended, ± half of its 95 % interval (Student’s): with one seed there is
        none. Two arms whose intervals overlap have not been told apart. The endings are the verdicts of each
        run’s last step.
      </p>
      {drawn.length === 0 ? null : (
        <Charts
          runs={drawn.map(({ arm, config, history }) => ({
            name: `${armName(arm)}, seed ${config.seed}`,
            records: history!.steps,
            evaluations: history!.evals,
            steps: config.steps,
            colour: arms.indexOf(arm),
          }))}
        />
      )}
      <details>
        <summary>The {rows.length} runs</summary>
        <ul class="runs">
          {rows.map(({ arm, config, id, status, summary }, index) => {
            const name = `${armName(arm)}, seed ${config.seed}`;
            return (
              <li key={index}>
                <div class="run-name">
                  <b>{name}</b>
                  <span class="facts">
                    {status === null ? 'not begun' : statusWords[status]}
                    {summary === null
                      ? ''
                      : `, accuracy ${percent(summary.accuracy.from)} → ${percent(summary.accuracy.to)}, ${verdictWords(summary)}`}
                  </span>
                </div>
                {id === null || status === null ? null : (
                  <div class="run-actions">
                    <button
                      type="button"
                      disabled={session.activity.value !== 'idle'}
                      onClick={() => void go(id)}
                    >
                      Open<span class="visually-hidden"> {name}</span>
                    </button>
                    <button type="button" onClick={() => places.go({ name: 'report', id })}>
                      Report<span class="visually-hidden"> of {name}</span>
                    </button>
                  </div>
                )}
              </li>
            );
          })}
        </ul>
      </details>
    </section>
  );
}

/** What became of the reasoning of one run. */
function verdictWords({ verdict }: RunSummary): string {
  return verdict === null ? 'no verdict' : endingWords(verdict);
}

/** `62 % ± 4`; a change with its sign. Two seeds may say next to nothing: more than ± 100 is not spelled out. */
function spread({ mean, margin }: Spread, signed = false): string {
  const size = percent(Math.abs(mean));
  const sign = signed ? (mean < 0 ? '−' : '+') : '';
  return `${sign}${size}${margin === null ? '' : margin > 1 ? ' ± over 100' : ` ± ${Math.round(100 * margin)}`}`;
}
