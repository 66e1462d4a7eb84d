/** Page of the sweeps: choose arms, see their cost, run them, compare them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { expandSweep } from '../../run/sweep/sweep';
import type { Page } from '../page/page';
import { durationWords } from '../../run/estimate';
import { standingWords } from '../runs/kept-runs';
import { RunControls } from '../runs/run-controls';
import { stepsTaken } from '../session/run-view';
import type { SweepRecord } from '../../store/records';
import { DeleteButton } from '../ui/delete-button';
import { Guard, unreadRecord } from '../ui/guard';
import { SweepForm } from './sweep-form';
import { hasEnded, progressOf, secondsOfAll } from '../page/sweep-queue';
import { Comparison } from './comparison';
import { useFound } from '../ui/use-found';
import { armName, axesWords } from '../words/arms';
import { runWords } from '../words/run-words';

type Sweeps = Pick<Page, 'queue' | 'session' | 'places'>;

export function SweepsPage(props: Sweeps & Pick<Page, 'draft' | 'faults' | 'sweepFields'>) {
  const { queue } = props;
  const chosen = useSignal<string | null>(null);
  useEffect(() => void queue.refresh(), []);
  const sweeps = queue.sweeps.value;
  const running = queue.running.value;
  const unread = (sweep: SweepRecord) => unreadRecord('sweep', sweep, () => queue.remove(sweep.id));
  const training = sweeps.find(({ id }) => id === running);
  const shown = sweeps.find(({ id }) => id === (chosen.value ?? running)) ?? sweeps.at(0);
  return (
    <>
      <div class="place-head">
        <h1 tabIndex={-1}>Sweeps</h1>
        <p class="lead">
          One run proves little: another seed can end otherwise. A sweep makes many runs from one
          configuration and compares them. Runs that differ by their seed alone are one arm.
        </p>
      </div>
      {running === null ? <SweepForm {...props} /> : training && <Progress {...props} sweep={training} />}
      {sweeps.length === 0 ? null : (
        <section class="panel" aria-labelledby="kept-sweeps">
          <h2 id="kept-sweeps">Sweeps kept in this browser</h2>
          <ul class="runs">
            {sweeps.map((sweep) => (
              <li key={sweep.id} class={sweep === shown ? 'row is-shown' : 'row'}>
                <Guard of={unread(sweep)}>
                  <SweepRow
                    {...props}
                    sweep={sweep}
                    isShown={sweep === shown}
                    onCompare={() => (chosen.value = sweep.id)}
                  />
                </Guard>
              </li>
            ))}
          </ul>
          <p class="explain">Its runs are kept like any others: deleting a sweep leaves them.</p>
        </section>
      )}
      {shown === undefined ? null : (
        <Guard key={shown.id} of={unread(shown)}>
          <SweepResults {...props} sweep={shown} />
        </Guard>
      )}
    </>
  );
}

function SweepRow(props: Sweeps & { sweep: SweepRecord; isShown: boolean; onCompare: () => void }) {
  const { queue, session, sweep, isShown, onCompare } = props;
  const isRunning = queue.running.value === sweep.id;
  const ended = sweep.runs.filter((id) => hasEnded(session.runOf(id)));
  const axes = axesWords(sweep.axes);
  const name = `${runWords(sweep.base, 4)}${axes === '' ? '' : ` by ${axes}`}`;
  return (
    <>
      <div class="run-name stack tight">
        <b>{name}</b>
        <span class="facts">
          {ended.length} of {sweep.runs.length} runs ended
        </span>
      </div>
      <div class="run-actions row tight">
        <button disabled={isShown} onClick={onCompare}>
          Compare<span class="visually-hidden"> {name}</span>
        </button>
        {ended.length < sweep.runs.length && !isRunning ? (
          <button disabled={session.activity.value !== 'idle'} onClick={() => void queue.goOn(sweep.id)}>
            Resume<span class="visually-hidden"> {name}</span>
          </button>
        ) : null}
        <DeleteButton name={name} disabled={isRunning} onDelete={() => queue.remove(sweep.id)} />
      </div>
    </>
  );
}

function Progress({ queue, session, sweep }: Sweeps & { sweep: SweepRecord }) {
  const total = sweep.base.steps;
  const runs = progressOf(session, sweep);
  const atWork = runs.flatMap(({ view }, index) => (view === null ? [] : { view, index }));
  const seconds = secondsOfAll(runs);
  return (
    <section class="panel" aria-label="Progress of the sweep">
      <div role="status">
        {atWork.length === 0 ? <p>The next run begins. {session.stage.value}</p> : null}
        {atWork.map(({ index, view }) => (
          <p key={index}>
            Run {index + 1} of {runs.length}: {runWords(view.config, 4)}
          </p>
        ))}
      </div>
      <p class="facts">
        {atWork.map(({ view }) => `Step ${stepsTaken(view)} of ${total}. `)}
        {seconds === null ? '' : `About ${durationWords(seconds)} to go for all, evaluations included.`}
      </p>
      <progress
        max={runs.length * total}
        value={runs.reduce((sum, { step }) => sum + step, 0)}
        aria-label="Steps of all runs"
      />
      <div class="actions">
        <RunControls session={session} stop="Stop the sweep" onStop={() => queue.stop()} />
      </div>
    </section>
  );
}

/** The arms of a sweep with intervals over seeds, charts, and its runs. */
function SweepResults({ session, places, sweep }: Sweeps & { sweep: SweepRecord }) {
  const runs = session.runs.value;
  const historyOf = async (id: string | null) => (session.runOf(id) ? session.history(id!) : null);
  const histories = useFound(() => Promise.all(sweep.runs.map(historyOf)), [sweep, runs]);
  const go = async (id: string): Promise<void> => {
    await session.open(id);
    places.go({ name: 'run' });
  };
  const rows = expandSweep(sweep.base, sweep.axes).map(({ config, values }, index) => {
    const history = histories?.[index] ?? null;
    const id = history?.record.id ?? null;
    const listed = session.runOf(id);
    const arm = armName({ values });
    const name = `${arm}, seed ${config.seed}`;
    return {
      ...{ arm, config, name, history },
      standing: listed && standingWords(listed, session),
      actions:
        id === null ? undefined : (
          <button onClick={() => void go(id)}>
            Open<span class="visually-hidden"> {name}</span>
          </button>
        ),
    };
  });
  return (
    <section class="panel compared stack" aria-labelledby="comparison">
      <h2 id="comparison">The arms compared</h2>
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
