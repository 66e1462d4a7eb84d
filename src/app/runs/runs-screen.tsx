/** List of the runs stored in this browser, with actions: open, compare, resume, save, delete. */
import { MarbleError } from '../../base/error';
import type { ListedRun } from '../../../workers/protocol';
import { canGoOn, standingWords } from './kept-runs';
import { DeleteButton } from '../ui/delete-button';
import { Guard, UnreadRow } from '../ui/guard';
import type { Page } from '../page/page';
import type { Session } from '../session/session';
import { ChooseFiles } from '../ui/files';
import { fileKindsOf, saveRun, unreadRun } from './run-files';
import { hidesEnding, shownName } from '../page/hiding';
import { seatTitle } from '../../run/sweep/seats';

export const notRead = new MarbleError(
  'app/unread-run',
  'Its stored data does not have the form that Marble writes.',
  'Save it if it may still be useful, and delete it.',
);

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

type RunsProps = Pick<Page, 'session' | 'lesson'>;

export function Runs(page: RunsProps) {
  const { session } = page;
  const runs = session.runs.value;
  const busy = session.activity.value !== 'idle';
  const overlaid = new Set(session.overlays.value.map((overlay) => overlay.record.id));
  return (
    <section class="panel" aria-labelledby="runs">
      <div class="panel-head">
        <h2 id="runs">Runs kept in this browser</h2>
        <ChooseFiles
          words="Open a run from a file …"
          accept=".marble"
          disabled={busy}
          onFiles={(files) => void openAll(session, files)}
        />
      </div>
      <ul class="runs">
        {runs.map((run) => (
          <li key={run.id} class={session.shown.value?.id === run.id ? 'row is-shown' : 'row'}>
            <Guard of={unreadRun(session, run.id)}>
              <RunRow {...page} run={run} busy={busy} overlaid={overlaid.has(run.id)} />
            </Guard>
          </li>
        ))}
        {session.unread.value.map((id) => (
          <li key={id} class="row">
            <UnreadRow of={unreadRun(session, id)} thrown={notRead} />
          </li>
        ))}
      </ul>
      <p class="explain">
        {runs.length === 0 ? 'None yet. ' : ''}A run is named by what differs from its preset. Runs are kept
        in this browser’s storage only, until you delete them, clear the site’s data, or close the window if
        it is a private one.
      </p>
    </section>
  );
}

async function openAll(session: Session, files: readonly File[]): Promise<void> {
  for (const file of files) if ((await session.openRunFile(file)) === null) return;
}

function RunRow(props: RunsProps & { run: ListedRun; busy: boolean; overlaid: boolean }) {
  const { session, run, busy, overlaid } = props;
  const seat = run.class === undefined ? '' : `${seatTitle(run.class.seat)}: `;
  const name = seat + shownName(hidesEnding(props), run.config);
  const isShown = session.shown.value?.id === run.id;
  const live = session.trainsHere(run.id) || run.trainsElsewhere === true;
  return (
    <>
      {session.shown.value === null ? null : (
        <label title="In the charts of the first tab">
          <input type="checkbox" checked={overlaid} onChange={() => void session.toggleOverlay(run.id)} />
          <span class="visually-hidden">Compare {name}</span>
        </label>
      )}
      <div class="run-name stack tight">
        <b>{name}</b>
        <span class="facts">
          {standingWords(run, session)}, step {run.step} of {run.config.steps}, {date.format(run.createdAt)}
          {session.unkept.value.includes(run.id) ? ', not kept in this browser: save it as a file' : null}
        </span>
        {run.failure === undefined ? null : <span class="fault">{run.failure}</span>}
      </div>
      <div class="run-actions row tight">
        {/* The opened run is shown at the top of the page. */}
        <button disabled={isShown} onClick={() => void session.open(run.id).then(() => scrollTo(0, 0))}>
          Open<span class="visually-hidden"> {name}</span>
          {run.class === undefined ? '' : ' to hand in'}
        </button>
        {canGoOn(run) ? (
          <button disabled={busy} onClick={() => void session.resume(run.id)}>
            Resume from step {run.checkpointStep ?? 0}
            <span class="visually-hidden"> with {name}</span>
          </button>
        ) : null}
        {props.lesson.value ? null : (
          <details class="menu">
            <summary class="small">
              Save<span class="visually-hidden"> {name}</span>
            </summary>
            <div class="row tight">
              {fileKindsOf(run).map((kind) => (
                <button key={kind} type="button" onClick={() => void saveRun(session, run.id, kind)}>
                  {kind}
                </button>
              ))}
            </div>
          </details>
        )}
        <DeleteButton name={name} disabled={live} onDelete={() => session.remove(run.id)} />
      </div>
    </>
  );
}
