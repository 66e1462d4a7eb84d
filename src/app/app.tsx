/** The page from top to bottom. */
import { useEffect, useRef } from 'preact/hooks';
import type { Rollout } from '../run/rollout-record';
import type { HideablePart } from '../share/link-extras';
import { runName } from '../share/name';
import { Alerts, alertsToShow } from './alerts';
import { deviceWord } from './device';
import type { ChartRun } from './charts';
import { MissingData } from './data/missing-data';
import { RunPanel, StartPanel } from './controls';
import { DownloadStatus } from './models/download-progress';
import { later } from './later';
import { sameConfig } from './draft';
import { CopyLink } from './link';
import { Pair } from './opening/pair';
import type { Page } from './page';
import { recordingOf } from './recording';
import { presetNames } from './preset-descriptions';
import { repeatedBy } from './repeat-words';
import { RunAnswer } from './run-answer';
import { Scrubber } from './scrubber';
import { Tabs, type Tab } from './tabs';
import { VerdictLine } from './verdict-line';
import { stepsTaken, type RunView } from './run-view';
import { hasEndedEarly, otherProgram, overlaidName } from './kept-runs';
import { useKeptFocus } from './kept-focus';
import { batchOf, type StepBatch } from './update/step-batch';
import type { Session } from './session/session';

const ErrorScreen = later(() => import('./screens').then((part) => part.ErrorScreen));
const Notice = later(() => import('./screens').then((part) => part.Notice));
const ConsentScreen = later(() => import('./models/consent-screen').then((part) => part.ConsentScreen));
const Charts = later(() => import('./charts').then((part) => part.Charts));
const DownloadScreen = later(() => import('./models/download-screen').then((part) => part.DownloadScreen));
const StoredModels = later(() => import('./models/stored-models').then((part) => part.StoredModels));
const VerdictPanel = later(() => import('./verdict').then((part) => part.VerdictPanel));
const Explanations = later(() => import('./explanations').then((part) => part.Explanations));
const TaskTable = later(() => import('./task-table').then((part) => part.TaskTable));
const Settings = later(() => import('./settings/settings').then((part) => part.Settings));

const Gallery = later(() => import('./check/gallery').then((part) => part.Gallery));
const SweepsPage = later(() => import('./sweeps/sweeps-page').then((part) => part.SweepsPage));
const FirstAndNow = later(() => import('./rollouts').then((part) => part.FirstAndNow));
const RunEnd = later(() => import('./end/run-end').then((part) => part.RunEnd));
const AskPanel = later(() => import('./ask/ask-panel').then((part) => part.AskPanel));
export const SentScreen = later(() => import('./sent/sent-screen').then((part) => part.SentScreen));
const SenderLine = later(() => import('./sent/sender-line').then((part) => part.SenderLine));
const StepPanel = later(() => import('./step-panel').then((part) => part.StepPanel));
const EvaluationTable = later(() => import('./evaluation-table').then((part) => part.EvaluationTable));
const Runs = later(() => import('./runs').then((part) => part.Runs));
const ClassPage = later(() => import('./class/class-page').then((part) => part.ClassPage));
const Seat = later(() => import('./class/seat').then((part) => part.Seat));
const DataPage = later(() => import('./data/data-page').then((part) => part.DataPage));
const ReportPage = later(() => import('./report/report-page').then((part) => part.ReportPage));
const HiddenParts = later(() => import('./hidden-parts').then((part) => part.HiddenParts));

export function App({ page }: { page: Page }) {
  const { session, places } = page;
  const screen = session.screen.value;
  const notice = session.notice.value;
  const place = places.place.value;
  const main = useRef<HTMLElement>(null);
  const came = useRef(place);
  useEffect(() => {
    // Who goes to another place reads on from its heading.
    if (came.current !== place) main.current?.querySelector<HTMLElement>('h1')?.focus();
    came.current = place;
  }, [place]);
  return (
    <>
      <header class="top">
        <p class="brand">
          <img src="./marble.svg" alt="" width="30" height="30" />
          Marble
        </p>
        <PlaceButtons page={page} />
        <CopyLink page={page} />
      </header>
      <main ref={main}>
        {screen === null ? null : <ErrorScreen session={session} error={screen} />}
        {session.consents.asked.value === null ? null : (
          <ConsentScreen consent={session.consents.asked.value} />
        )}
        {session.question.value === null ? null : (
          <DownloadScreen session={session} question={session.question.value} />
        )}
        {notice === null ? null : <Notice session={session} notice={notice} />}
        {page.ignored.value.length === 0 ? null : (
          <p class="notice" role="status">
            The link holds settings that this page does not know and has left out:{' '}
            {page.ignored.value.join(', ')}.
          </p>
        )}
        <MissingData page={page} />
        {place.name === 'data' ? (
          <DataPage page={page} />
        ) : place.name === 'sweeps' ? (
          <SweepsPage page={page} />
        ) : place.name === 'class' ? (
          <ClassPage page={page} />
        ) : place.name === 'report' ? (
          <ReportPage page={page} id={place.id} />
        ) : (
          <RunPlace page={page} />
        )}
      </main>
      <footer>
        <p>
          Marble is open source (Apache-2.0). The embedded models are toys, made to show in minutes what was
          reported of large ones; they are no evidence about those.
        </p>
        <HiddenParts hidden={page.hidden} />
      </footer>
    </>
  );
}

const placeNames = { run: 'Run', data: 'Data', sweeps: 'Sweeps', class: 'Class' } as const;

function PlaceButtons({ page }: { page: Page }) {
  const { places } = page;
  const here = places.place.value.name;
  const names = (['run', 'data', 'sweeps', 'class'] as const).filter(
    (name) => name === 'run' || !isHidden(page, name),
  );
  return (
    <nav aria-label="Places">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-current={here === name ? 'page' : undefined}
          onClick={() => places.go({ name })}
        >
          {placeNames[name]}
        </button>
      ))}
    </nav>
  );
}

const isHidden = (page: Page, part: HideablePart): boolean => page.hidden.value.includes(part);

function RunPlace({ page }: { page: Page }) {
  const { session, draft, faults, places } = page;
  const faulty = faults.value.size > 0;
  const view = session.shown.value;
  const busy = session.activity.value !== 'idle';
  // A class that is to guess first sees no recording of what it is about to run.
  const mayRecordings = page.classroom.value === null || !isHidden(page, 'collapse');
  const shown = view ?? (mayRecordings ? page.recorded.value : null);
  const overlaid = session.overlays.value.length > 0;
  // From the click on all stands where it stands while the run trains.
  const isOn = view !== null || busy;
  const opens = !isOn;
  const stage = useRef<HTMLElement>(null);
  useKeptFocus(stage, session.activity.value, view === null);
  return (
    <>
      <div class={isOn ? 'hero runs-here' : 'hero'}>
        <div>
          <h1 tabIndex={-1}>Does it think better, or does it stop thinking?</h1>
          {isOn ? (
            isHidden(page, 'collapse') ? null : (
              <RunAnswer
                view={view}
                recording={
                  view === null
                    ? recordingOf(page.recordings.value, draft.value)
                    : repeatedBy(page.recordings.value, view.config)
                }
              />
            )
          ) : (
            <p class="lead">
              A small language model reads stories and says where somebody thinks that somebody thinks a thing
              is. Reinforcement learning pays it for right answers, here, on your {deviceWord()}, and the
              reward goes up.
              {mayRecordings ? ' Three recorded runs show that this can mean three things.' : ''}
            </p>
          )}
        </div>
        {opens ? <Sending page={page} /> : null}
        <section
          class={busy ? 'stage bar-of-run' : view?.origin === 'live' ? 'stage bar-of-run has-ended' : 'stage'}
          aria-label="Run"
          ref={stage}
          tabIndex={-1}
        >
          {opens && page.classroom.value !== null ? <Seat page={page} /> : null}
          {view === null && !busy ? (
            <StartPanel
              page={page}
              faulty={faulty}
              isSeatless={page.classroom.value !== null && page.seat.value === null}
              offersBackend={!isHidden(page, 'backend')}
            />
          ) : view === null ? (
            <Starting session={session} />
          ) : (
            <RunPanel page={page} view={view} />
          )}
        </section>
        {opens && mayRecordings ? <Pair page={page} /> : null}
      </div>
      {view === null ? null : <Held page={page} view={view} />}
      {opens && !isHidden(page, 'settings') && page.classroom.value === null ? <Gallery page={page} /> : null}
      {isHidden(page, 'settings') ? null : (
        <Settings draft={draft} faults={faults} running={view?.config ?? null} session={session} />
      )}
      {opens && !overlaid && shown !== null ? <RecordingLabel view={shown} /> : null}
      {overlaid && view === null ? (
        <Overlaid page={page} />
      ) : shown === null ? null : (
        <Findings page={page} view={shown} />
      )}
      {isHidden(page, 'runs') ? null : <Runs session={session} places={places} settings={page.draft.value} />}
      {isHidden(page, 'runs') ? null : <StoredModels session={session} />}
      {shown !== null || isHidden(page, 'explanations') ? null : <Explanations />}
    </>
  );
}

/** The first screen of a link, as long as the form holds what it has brought. */
function Sending({ page }: { page: Page }) {
  const sent = page.sent.value;
  if (sent === null || !page.isSentNew.value || !sameConfig(sent.config, page.draft.value)) return null;
  if (page.seat.value !== null) return null;
  return (
    <SentScreen
      sent={sent}
      isOfClass={page.classroom.value !== null}
      hidesEnding={isHidden(page, 'collapse')}
      recording={recordingOf(page.recordings.value, sent.config)}
      onDismiss={() => (page.isSentNew.value = false)}
    />
  );
}

/** The run on show held against the sender's. */
function Held({ page, view }: { page: Page; view: RunView }) {
  const sent = page.sent.value;
  if (sent?.print == null || !sameConfig(sent.config, view.config)) return null;
  return (
    <SenderLine
      print={sent.print}
      sentBackend={sent.backend}
      backend={view.backend?.backend ?? null}
      records={view.records.value}
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
      <p>
        <b class="badge">Recording</b> “{presetNames[view.config.preset]}” in full ({runName(view.config)}),
        as a run of your own is shown once it is on its way.
      </p>
    </div>
  );
}

/** Charts, verdict, texts and tables of one run; of several, where some are laid over each other. */
function Findings({ page, view }: { page: Page; view: RunView }) {
  const { session, recordings } = page;
  const evaluations = view.evaluations.value;
  const kept = session.runs.value.find((run) => run.id === view.id);
  const program = kept === undefined ? null : otherProgram(kept);
  const own: ChartRun = {
    name:
      view.origin === 'recording'
        ? 'recording'
        : program === null
          ? runName(view.config)
          : overlaidName(kept!),
    records: view.records.value,
    evaluations,
    steps: view.config.steps,
    config: view.config,
    program,
  };
  const overlays = overlaidRuns(session);
  const others = overlays.filter((overlay) => overlay.id !== view.id);
  const taken = stepsTaken(view);
  const until = Math.min(page.lookedAt.value ?? taken, taken);
  const upTo = evaluations.filter(({ report }) => report.step <= until);
  const ofRecording = view.origin === 'recording' ? recordingOf(recordings.value, view.config) : null;
  const load = async (step: number): Promise<readonly Rollout[]> =>
    view.id === null
      ? (ofRecording?.rollouts ?? []).filter((rollout) => rollout.step === step)
      : session.rollouts(view.id, step);
  const recordedBatch = (step: number): StepBatch | null =>
    ofRecording?.batches?.find((batch) => batch.step === step) ?? null;
  const firstBatch = async (): Promise<StepBatch | null> => {
    const step = view.rolloutSteps.value.at(0);
    if (step === undefined) return null;
    return recordedBatch(step) ?? batchOf(await load(step), view.config.algorithm.maskTruncated);
  };
  const tabs: (Tab & { part: HideablePart })[] = [
    {
      name: 'update',
      part: 'sampled',
      label: 'What the update did',
      content: () => (
        <StepPanel
          view={view}
          until={page.lookedAt.value === null && session.activity.value === 'idle' ? null : until}
          load={load}
          onStep={(step) => (page.lookedAt.value = step)}
          recorded={recordedBatch}
        />
      ),
    },
    {
      name: 'ask',
      part: 'ask',
      label: 'Ask it yourself',
      content: () => <AskPanel session={session} config={view.config} run={view.id} />,
    },
    {
      name: 'evaluation',
      part: 'evaluation',
      label: 'Evaluation',
      content: () => (
        <>
          <EvaluationTable evaluations={upTo} />
          <TaskTable evaluations={upTo} />
        </>
      ),
    },
    {
      name: 'explanations',
      part: 'explanations',
      label: 'What am I looking at?',
      content: () => <Explanations view={view} firstBatch={firstBatch} />,
    },
  ];
  return (
    <div class="findings">
      <div class="instrument">
        {isHidden(page, 'collapse') ? null : <VerdictLine evaluations={evaluations} />}
        <div class="run-curves">
          <Charts
            runs={uniquelyNamed([own, ...others])}
            marksEnding={!isHidden(page, 'collapse')}
            lookedAt={page.lookedAt}
          />
        </div>
        <div class="told">
          {isHidden(page, 'first-and-now') ? null : (
            <FirstAndNow evaluations={upTo} isLatest={upTo.length === evaluations.length} />
          )}
          {isHidden(page, 'collapse') ? null : (
            <VerdictPanel evaluations={evaluations} hasEnded={stepsTaken(view) >= view.config.steps} />
          )}
          <Alerts alerts={alertsToShow(view.alerts.value, page.hidden.value)} />
        </div>
      </div>
      <Ended page={page} view={view} />
      <Tabs label="About this run" tabs={tabs.filter(({ part }) => !isHidden(page, part))} />
      <Scrubber at={page.lookedAt} taken={taken} steps={view.config.steps} />
    </div>
  );
}

/** What one does with a run that has ended here, or that was kept. */
function Ended({ page, view }: { page: Page; view: RunView }) {
  const { session, keptCheck } = page;
  const kept = session.runs.value.find((run) => run.id === view.id);
  const isAtEnd = stepsTaken(view) >= view.config.steps || (kept !== undefined && hasEndedEarly(kept));
  if (session.activity.value !== 'idle' || kept === undefined || !isAtEnd) return null;
  return <RunEnd page={page} view={view} record={kept} held={keptCheck.estimates.value[kept.id] ?? null} />;
}

function overlaidRuns(session: Session): (ChartRun & { id: string })[] {
  return session.overlays.value.map((history) => ({
    id: history.record.id,
    name: overlaidName(history.record),
    records: history.steps,
    evaluations: history.evals,
    steps: history.record.config.steps,
    config: history.record.config,
    program: otherProgram(history.record),
  }));
}

/** Kept runs laid over each other while none is open: they are compared among themselves. */
function Overlaid({ page }: { page: Page }) {
  const { session } = page;
  const runs = overlaidRuns(session);
  return (
    <>
      <div class="recording">
        <p>
          {runs.length === 1 ? 'One kept run' : `${runs.length} kept runs laid over each other`}, chosen in
          the list below.
        </p>
        <div class="actions">
          <button type="button" onClick={() => (session.overlays.value = [])}>
            Take them off
          </button>
        </div>
      </div>
      <Charts runs={uniquelyNamed(runs)} marksEnding={!isHidden(page, 'collapse')} />
    </>
  );
}

/** Two runs of the same settings have the same name; the legend needs to tell them apart. */
function uniquelyNamed(runs: readonly ChartRun[]): ChartRun[] {
  return runs.map((run, index) => {
    const earlier = runs.slice(0, index).filter((other) => other.name === run.name).length;
    return earlier === 0 ? run : { ...run, name: `${run.name} (${earlier + 1})` };
  });
}
