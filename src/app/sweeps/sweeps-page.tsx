/** The place of the sweeps: choose arms, see what they cost, run them one after another, compare them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Page } from '../page';
import { roughly } from '../run/remaining-time';
import { stepsTaken, type RunView } from '../session/run-view';
import { shownName } from '../shell/hiding';
import { SweepForm } from './sweep-form';
import { hasEnded } from './sweep-queue';
import { SweepResults } from './sweep-results';
import { axesWords } from './words';

export function SweepsPage({ page }: { page: Page }) {
  const { queue, session } = page;
  const chosen = useSignal<string | null>(null);
  useEffect(() => void queue.refresh(), []);
  const sweeps = queue.sweeps.value;
  const running = queue.running.value;
  const shown = sweeps.find(({ id }) => id === (chosen.value ?? running)) ?? sweeps.at(0);
  const busy = session.activity.value !== 'idle';
  return (
    <>
      <div class="place-head">
        <h1 tabIndex={-1}>Sweeps</h1>
        <p class="lead">
          One run proves little: another seed can end otherwise. A sweep makes many runs from one
          configuration and compares them. Runs that differ by their seed alone are one arm.
        </p>
      </div>
      <div class="on-screen">
        {running === null ? <SweepForm page={page} /> : <Progress page={page} id={running} />}
      </div>
      {sweeps.length === 0 ? null : (
        <section class="panel on-screen" aria-labelledby="kept-sweeps">
          <h2 id="kept-sweeps">Sweeps kept in this browser</h2>
          <ul class="runs">
            {sweeps.map((sweep) => {
              const ended = sweep.runs.filter((id) =>
                hasEnded(session.runs.value.find((run) => run.id === id)),
              );
              const name = `${shownName(page, sweep.base)} by ${axesWords(sweep.axes)}`;
              return (
                <li key={sweep.id} class={sweep === shown ? 'is-shown' : ''}>
                  <div class="run-name">
                    <b>{name}</b>
                    <span class="facts">
                      {ended.length} of {sweep.runs.length} runs ended
                    </span>
                  </div>
                  <div class="run-actions">
                    <button
                      type="button"
                      disabled={sweep === shown}
                      onClick={() => (chosen.value = sweep.id)}
                    >
                      Compare<span class="visually-hidden"> {name}</span>
                    </button>
                    {ended.length < sweep.runs.length && running !== sweep.id ? (
                      <button type="button" disabled={busy} onClick={() => void queue.goOn(sweep.id)}>
                        Go on<span class="visually-hidden"> with {name}</span>
                      </button>
                    ) : null}
                    <DeleteSweep page={page} id={sweep.id} name={name} />
                  </div>
                </li>
              );
            })}
          </ul>
          <p class="explain">Its runs are kept like any others: deleting a sweep leaves them.</p>
        </section>
      )}
      {shown === undefined ? null : <SweepResults key={shown.id} page={page} sweep={shown} />}
    </>
  );
}

function Progress({ page, id }: { page: Page; id: string }) {
  const { session, sessions, queue, places, pace } = page;
  const sweep = queue.sweeps.value.find((one) => one.id === id);
  if (sweep === undefined) return null;
  const views = new Map(
    sessions.all.value.flatMap(({ shown }): [string, RunView][] =>
      shown.value?.id == null ? [] : [[shown.value.id, shown.value]],
    ),
  );
  const total = sweep.base.steps;
  const runs = sweep.runs.map((run) => {
    const view = run === null ? undefined : views.get(run);
    const kept = session.runs.value.find((one) => one.id === run);
    const isOver = hasEnded(kept) || (view !== undefined && stepsTaken(view) >= total);
    return {
      view,
      isOver,
      taken: isOver ? total : view === undefined ? (kept?.step ?? 0) : stepsTaken(view),
    };
  });
  const atWork = runs.flatMap(({ view, isOver }, place) =>
    view === undefined || isOver ? [] : [{ place, view }],
  );
  const taken = runs.reduce((sum, run) => sum + run.taken, 0);
  const seconds = pace.secondsPerStep.value;
  const left = (runs.length * total - taken) / Math.max(1, atWork.length);
  return (
    <section class="panel" aria-label="Progress of the sweep">
      <div role="status">
        {atWork.length === 0 ? <p>The next run begins. {session.stage.value}</p> : null}
        {atWork.map(({ place, view }) => (
          <p key={place}>
            Run {place + 1} of {runs.length}: {shownName(page, view.config)}
          </p>
        ))}
      </div>
      <p class="facts">
        {atWork.map(({ view }) => `Step ${stepsTaken(view)} of ${total}`).join('; ')}
        {seconds === null
          ? ''
          : `${atWork.length === 0 ? 'About' : ', about'} ${roughly(seconds * left)} to go for all, evaluations included`}
      </p>
      <progress max={runs.length * total} value={taken} aria-label="Steps of all runs" />
      <div class="actions">
        <button type="button" onClick={() => places.go({ name: 'run' })}>
          Look at the run
        </button>
        {session.activity.value === 'paused' ? (
          <button type="button" class="primary" onClick={() => void session.goOn()}>
            Resume
          </button>
        ) : (
          <button
            type="button"
            disabled={session.activity.value !== 'running'}
            onClick={() => void session.pause()}
          >
            Pause
          </button>
        )}
        <button type="button" onClick={() => void session.stop()}>
          Stop the sweep
        </button>
      </div>
    </section>
  );
}

function DeleteSweep({ page, id, name }: { page: Page; id: string; name: string }) {
  const confirming = useSignal(false);
  if (!confirming.value) {
    return (
      <button
        type="button"
        disabled={page.queue.running.value === id}
        onClick={() => (confirming.value = true)}
      >
        Delete<span class="visually-hidden"> {name}</span>
      </button>
    );
  }
  return (
    <>
      <button type="button" class="danger" onClick={() => void page.queue.remove(id)}>
        Delete for good
      </button>
      <button type="button" onClick={() => (confirming.value = false)}>
        Keep
      </button>
    </>
  );
}
