/** The place of a run: what begins one, the run while it trains, and the kept runs. */
import { SharedLinkScreen } from '../link/shared-link-screen';
import { isHidden, hidesEnding } from '../shell/hiding';
import { Guard } from '../ui/guard';
import { later } from '../ui/later';
import { unreadRun } from '../runs/run-files';
import type { Page } from '../page';
import { useMemo, useRef } from 'preact/hooks';
import { deviceWord } from '../ui/device';
import { RunPanel } from './run-panel';
import { StartPanel } from '../start/start-panel';
import { DownloadStatus } from '../models/download-progress';
import { Findings, Overlaid } from './findings';
import { sameConfig } from '../settings/draft';
import { recordingOf } from '../start/recording';
import { presetNames } from '../start/preset-names';
import { repeatedBy, RunAnswer } from './run-answer';
import { createRunView, type RunView } from '../session/run-view';
import { useKeptFocus } from '../ui/kept-focus';
import type { Session } from '../session/session';

const StoredModels = later(() => import('../models/stored-models').then((part) => part.StoredModels));
const Explanations = later(() => import('../words/explanations').then((part) => part.Explanations));
const SettingsPanel = later(() => import('../settings/settings').then((part) => part.SettingsPanel));
const Gallery = later(() => import('../check/gallery').then((part) => part.Gallery));
const SenderLine = later(() => import('../link/sender-line').then((part) => part.SenderLine));
const Runs = later(() => import('../runs/runs').then((part) => part.Runs));
const Seat = later(() => import('../class/seat').then((part) => part.Seat));

export function RunPlace({ page }: { page: Page }) {
  const { session, draft, faults } = page;
  const faulty = faults.value.size > 0;
  const view = session.shown.value;
  const busy = session.activity.value !== 'idle';
  // A class sees no recording of what it is about to run, nor reads how such runs end.
  const isOfClass = page.classroom.value !== null;
  // While it is being prepared it stands there as at its first moment, with nothing in it yet.
  const config = draft.value;
  const toCome = useMemo(() => createRunView('live', config), [config]);
  const shown = view ?? (busy ? toCome : isOfClass ? null : page.recorded.value);
  const overlaid = session.overlays.value.length > 0;
  const isComparison = overlaid && view === null;
  // From the click on all stands where it stands while the run trains.
  const isOn = view !== null || busy;
  const hasTabs = isOn && shown !== null && !isComparison;
  const opens = !isOn;
  const hasGallery = opens && !isOfClass;
  const id = view?.id ?? null;
  const ofView = id === null ? undefined : unreadRun(session, id);
  const stage = useRef<HTMLElement>(null);
  useKeptFocus(stage, session.activity.value, view === null);
  return (
    <>
      <div class={isOn ? 'hero runs-here' : 'hero'}>
        <div class="asked">
          <h1 tabIndex={-1}>Does it think better, or does it stop thinking?</h1>
          {isOn ? (
            hidesEnding(page) ? null : (
              <RunAnswer
                view={view}
                recording={
                  shown === null
                    ? null
                    : view === null
                      ? recordingOf(page.recordings.value, draft.value)
                      : repeatedBy(page.recordings.value, view.config)
                }
              />
            )
          ) : (
            <p class="lead">
              A small language model reads stories and says where somebody thinks that somebody thinks a thing
              is. Reinforcement learning pays it for right answers, here, on your {deviceWord()}.
            </p>
          )}
        </div>
        {opens ? <Sending page={page} /> : null}
        <section
          class={busy ? 'stage bar-of-run' : view === null ? 'stage' : 'stage bar-of-run has-ended'}
          aria-label="Run"
          ref={stage}
          tabIndex={-1}
        >
          {opens && isOfClass ? <Seat page={page} /> : null}
          {view === null && !busy ? (
            <StartPanel
              page={page}
              faulty={faulty}
              isSeatless={isOfClass && page.seat.value === null}
              offersBackend={!isHidden(page, 'backend')}
            />
          ) : view === null ? (
            <Starting session={session} />
          ) : (
            <Guard of={ofView}>
              <RunPanel page={page} view={view} />
            </Guard>
          )}
        </section>
      </div>
      {isOn ? <Held page={page} view={view} /> : null}
      {isHidden(page, 'settings') || hasTabs ? null : (
        <div class={hasGallery ? 'choosing has-gallery' : 'choosing'}>
          {hasGallery ? <Gallery page={page} /> : null}
          <SettingsPanel page={page} />
        </div>
      )}
      {opens && !overlaid && shown !== null ? <RecordingLabel view={shown} /> : null}
      {isComparison ? (
        <Guard>
          <Overlaid page={page} />
        </Guard>
      ) : shown === null ? null : (
        <Guard of={ofView}>
          <Findings page={page} view={shown} isOfRun={isOn} />
        </Guard>
      )}
      {isHidden(page, 'runs') || hasTabs || busy ? null : <Runs page={page} />}
      {isHidden(page, 'runs') ? null : <StoredModels session={session} />}
      {/* not before it is known whether a recording takes their place */}
      {shown !== null || page.recordings.value === null || isHidden(page, 'explanations') ? null : (
        <Explanations hidesEnding={isOfClass || hidesEnding(page)} />
      )}
    </>
  );
}

/** The first screen of a link, as long as the form holds what it has brought. */
function Sending({ page }: { page: Page }) {
  const shared = page.sharedLink.value;
  if (shared === null || !page.isSharedLinkNew.value || !sameConfig(shared.config, page.draft.value))
    return null;
  if (page.seat.value !== null) return null;
  if (shared.fingerprint !== null) void SenderLine.ready(); // before a run begins: what comes late pushes the rest down
  return (
    <SharedLinkScreen
      shared={shared}
      classroom={page.classroom.value}
      hidesEnding={hidesEnding(page)}
      recording={recordingOf(page.recordings.value, shared.config)}
      onDismiss={() => (page.isSharedLinkNew.value = false)}
    />
  );
}

/** The run on show held against the sender's. */
function Held({ page, view }: { page: Page; view: RunView | null }) {
  const shared = page.sharedLink.value;
  if (shared?.fingerprint == null || !sameConfig(shared.config, view?.config ?? page.draft.value))
    return null;
  return (
    <SenderLine
      fingerprint={shared.fingerprint}
      sentBackend={shared.backend}
      backend={view?.backend?.backend ?? null}
      records={view?.records.value ?? []}
    />
  );
}

function Starting({ session }: { session: Session }) {
  const download = session.download.value;
  const timing = session.timing.value;
  return (
    <div class="run-panel">
      <div class="run-head">
        <p role="status">
          {session.activity.value === 'watching' ? 'Watching the other tab.' : session.stage.value}
        </p>
      </div>
      {session.activity.value === 'watching' ? null : (
        <>
          {download !== null ? (
            <DownloadStatus progress={download} />
          ) : (
            <progress aria-label="Preparing" max={timing?.total ?? 1} value={timing?.done} />
          )}
          <div class="actions">
            <button type="button" onClick={() => void session.stop()}>
              Stop
            </button>
          </div>
        </>
      )}
    </div>
  );
}

function RecordingLabel({ view }: { view: RunView }) {
  return (
    <div class="recording">
      <h2 class="visually-hidden">The recording</h2>
      <p>
        <b class="badge">Recording</b> “{presetNames[view.config.preset]}”, as a run of your own is shown once
        it is on its way.
      </p>
    </div>
  );
}
