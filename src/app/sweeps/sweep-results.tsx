/** Results of a sweep: a table of its arms with intervals over seeds, charts, and a list of its runs. */
import { expandSweep } from '../../run/sweep/sweep';
import type { SweepRecord } from '../../store/records';
import type { Page } from '../page/page';
import { standingWords } from '../runs/kept-runs';
import { armName } from '../words/arms';
import { useFound } from '../ui/use-found';
import { Comparison, SaveCsv } from './comparison';

type ResultsProps = Pick<Page, 'session' | 'places'> & { sweep: SweepRecord };

export function SweepResults({ session, places, sweep }: ResultsProps) {
  const runs = session.runs.value;
  const historyOf = async (id: string | null) =>
    id !== null && runs.some((run) => run.id === id) ? session.history(id) : null;
  const histories = useFound(() => Promise.all(sweep.runs.map(historyOf)), [sweep, runs]);
  const go = async (id: string): Promise<void> => {
    await session.open(id);
    places.go({ name: 'run' });
  };
  const actions = (id: string, name: string) => (
    <div class="run-actions row tight">
      <button disabled={session.activity.value !== 'idle'} onClick={() => void go(id)}>
        Open<span class="visually-hidden"> {name}</span>
      </button>
      <button onClick={() => places.go({ name: 'report', id })}>
        Report<span class="visually-hidden"> of {name}</span>
      </button>
    </div>
  );
  const rows = expandSweep(sweep.base, sweep.axes).map((run, index) => {
    const history = histories?.[index] ?? null;
    const listed = history === null ? undefined : session.runOf(history.record.id);
    const { config } = run;
    const arm = armName(run);
    const name = `${arm}, seed ${config.seed}`;
    return {
      ...{ arm, config, name, history },
      standing: listed && standingWords(listed, session),
      actions: history === null ? undefined : actions(history.record.id, name),
    };
  });
  return (
    <section class="panel compared stack" aria-labelledby="comparison">
      <div class="panel-head">
        <h2 id="comparison">The arms compared</h2>
        <div class="actions">
          <SaveCsv of="sweep" rows={rows} />
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
      <Comparison of="sweep" rows={rows} />
    </section>
  );
}
