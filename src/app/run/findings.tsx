/** What a run shows: its verdict and the story beside its charts, and the rest of it in tabs. */
import { useSignal } from '@preact/signals';
import type { AlgorithmName } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import type { Rollout } from '../../run/record/rollout-record';
import type { HideablePart } from '../../share/link-extras';
import { Alerts, alertsBesideVerdict } from '../verdict/alerts';
import type { ChartRun } from '../charts/lines/chart-lines';
import { isHidden, hidesEnding, shownName } from '../shell/hiding';
import { hasEndedEarly, otherProgram, overlaidName } from '../runs/kept-runs';
import { later } from '../ui/later';
import type { Page } from '../page';
import { recordingOf } from '../start/recording';
import { stepsTaken, type RunView } from '../session/run-view';
import { chooseTab, Tabs, type Tab } from '../ui/tabs';
import type { StepBatch } from '../update/step-batch';

const RunPlots = later(() => import('./run-plots').then((part) => part.RunPlots));
const Charts = later(() => import('../charts/charts').then((part) => part.Charts));
const VerdictLine = later(() => import('./verdict-line').then((part) => part.VerdictLine));
const VerdictPanel = later(() => import('../verdict/verdict').then((part) => part.VerdictPanel));
const Explanations = later(() => import('../words/explanations').then((part) => part.Explanations));
const TaskTable = later(() => import('./evaluation-table').then((part) => part.TaskTable));
const FirstAndNow = later(() => import('../story/rollouts').then((part) => part.FirstAndNow));
const AskPanel = later(() => import('../ask/ask-panel').then((part) => part.AskPanel));
const Scrubber = later(() => import('./scrubber').then((part) => part.Scrubber));
const StepPanel = later(() => import('./step-panel').then((part) => part.StepPanel));
const EvaluationTable = later(() => import('./evaluation-table').then((part) => part.EvaluationTable));
const RunEnd = later(() => import('../verdict/run-end').then((part) => part.RunEnd));
const Runs = later(() => import('../runs/runs').then((part) => part.Runs));
const BackendLine = later(() => import('./backend-line').then((part) => part.BackendLine));
const SettingsOfRun = later(() => import('../settings/settings').then((part) => part.SettingsOfRun));

/**
 * One run; several, where some are laid over each other.
 *
 * @param isOfRun - it is a run of one's own, or one is on its way: the list of runs and the settings are tabs of it then
 */
export function Findings({ page, view, isOfRun }: { page: Page; view: RunView; isOfRun: boolean }) {
  const { session, recordings } = page;
  void RunPlots.ready();
  void VerdictLine.ready(); // before a run begins: what comes late pushes the rest down
  const chosenTab = useSignal<string | null>(null);
  const nameOf = (config: RunConfig): string => shownName(page, config);
  /** Null for the run's own. */
  const algorithm = useSignal<AlgorithmName | null>(null);
  const evaluations = view.evaluations.value;
  const kept = session.runs.value.find((run) => run.id === view.id);
  const program = kept === undefined ? null : otherProgram(kept);
  const own: ChartRun = {
    name:
      view.origin === 'recording'
        ? 'recording'
        : program === null
          ? shownName(page, view.config)
          : overlaidName(kept!, nameOf),
    records: view.records.value,
    evaluations,
    steps: view.config.steps,
    config: view.config,
    program,
  };
  const overlays = overlaidRuns(page);
  const others = overlays.filter((overlay) => overlay.id !== view.id);
  const taken = stepsTaken(view);
  const isRunning = session.activity.value !== 'idle';
  const until = Math.min(page.lookedAt.value ?? taken, taken);
  const upTo = evaluations.filter(({ report }) => report.step <= until);
  const ofRecording = view.origin === 'recording' ? recordingOf(recordings.value, view.config) : null;
  const load = async (step: number): Promise<readonly Rollout[]> =>
    view.id === null
      ? (ofRecording?.rollouts ?? []).filter((rollout) => rollout.step === step)
      : session.drawnRollouts(view.id, step);
  const recordedBatch = (step: number): StepBatch | null =>
    ofRecording?.batches?.find((batch) => batch.step === step) ?? null;
  const firstBatch = async (): Promise<StepBatch | null> => {
    const step = view.rolloutSteps.value.at(0);
    if (step === undefined) return null;
    const { batchOf } = await import('../update/step-batch');
    return recordedBatch(step) ?? batchOf(await load(step), view.config.algorithm.maskTruncated);
  };
  const stepPanel = (shows: 'update' | 'samples') => (
    <StepPanel
      key={shows}
      shows={shows}
      view={view}
      until={page.lookedAt.value === null && !isRunning ? null : until}
      load={load}
      onStep={(step) => (page.lookedAt.value = step)}
      recorded={recordedBatch}
      algorithm={algorithm}
    />
  );
  const charts = (
    <Charts
      runs={uniquelyNamed([own, ...others])}
      marksEnding={!hidesEnding(page)}
      lookedAt={page.lookedAt}
    />
  );
  // Runs laid over each other are compared in all their charts, above the list that they are chosen in.
  const instrument = (
    <div class="instrument">
      <div class="told">
        {isHidden(page, 'first-and-now') ? null : <FirstAndNow evaluations={evaluations} at={until} />}
        <Alerts alerts={alertsBesideVerdict(view.alerts.value, page.hidden.value)} />
      </div>
      {others.length > 0 ? null : <div class="run-curves">{charts}</div>}
    </div>
  );
  const tabs: (Tab & { part?: HideablePart })[] = [
    { name: 'curves', label: 'One question, all curves', content: () => instrument },
    {
      name: 'update',
      part: 'sampled',
      label: 'What the update did',
      content: () => stepPanel('update'),
    },
    {
      name: 'samples',
      part: 'sampled',
      label: 'Sample by sample',
      content: () => stepPanel('samples'),
    },
    {
      name: 'ask',
      part: 'ask',
      label: 'Ask it yourself',
      content: () => (
        <AskPanel session={session} config={view.config} run={view.id} evaluations={evaluations} />
      ),
    },
    {
      name: 'evaluation',
      part: 'evaluation',
      label: 'Evaluation',
      content: () => (
        <>
          {hidesEnding(page) ? null : <VerdictPanel evaluations={evaluations} reward={view.config.reward} />}
          <EvaluationTable evaluations={upTo} />
          <TaskTable evaluations={upTo} />
        </>
      ),
    },
    {
      name: 'explanations',
      part: 'explanations',
      label: 'What am I looking at?',
      content: () => <Explanations view={view} firstBatch={firstBatch} hidesEnding={hidesEnding(page)} />,
    },
    {
      name: 'runs',
      part: 'runs',
      label: 'Runs',
      content: () => <Runs page={page} />,
    },
    {
      name: 'settings',
      part: 'settings',
      label: 'Settings',
      content: () => (
        <>
          <BackendLine
            choice={view.backend}
            records={view.records.value}
            isOfSweep={page.queue.sweeps.value.some(({ runs }) => runs.some((run) => run === view.id))}
          />
          <SettingsOfRun page={page} running={view.config} />
        </>
      ),
    },
  ];
  return (
    <div class="findings">
      {others.length > 0 ? (
        <div class="run-curves">{charts}</div>
      ) : (
        <RunPlots
          view={view}
          load={load}
          recording={
            view.origin === 'recording' ||
            hidesEnding(page) ||
            (page.classroom.value !== null && taken < view.config.steps) // a student's own run comes first
              ? null
              : recordingOf(recordings.value, view.config)
          }
        />
      )}
      {hidesEnding(page) ? null : (
        <VerdictLine page={page} view={view} onUpdate={() => chooseTab(chosenTab, 'update')} />
      )}
      <Ended page={page} view={view} />
      {/* The step stays in sight as long as what follows it is, and covers no verdict. */}
      <div class="looked-at">
        <Tabs
          label="About this run"
          chosen={chosenTab}
          tabs={tabs.filter(
            ({ part, name }) =>
              (part === undefined || !isHidden(page, part)) &&
              (isOfRun || (name !== 'runs' && name !== 'settings')),
          )}
        />
        <Scrubber at={page.lookedAt} taken={taken} steps={view.config.steps} isRunning={isRunning} />
      </div>
    </div>
  );
}

/** What one does with a run that has ended here, or that was kept. */
function Ended({ page, view }: { page: Page; view: RunView }) {
  const { session } = page;
  const kept = session.runs.value.find((run) => run.id === view.id);
  const isAtEnd = stepsTaken(view) >= view.config.steps || (kept !== undefined && hasEndedEarly(kept));
  if (session.activity.value !== 'idle' || kept === undefined || !isAtEnd) return null;
  return <RunEnd page={page} view={view} record={kept} />;
}

function overlaidRuns(page: Page): (ChartRun & { id: string })[] {
  return page.session.overlays.value.map((history) => ({
    id: history.record.id,
    name: overlaidName(history.record, (config) => shownName(page, config)),
    records: history.steps,
    evaluations: history.evals,
    steps: history.record.config.steps,
    config: history.record.config,
    program: otherProgram(history.record),
  }));
}

/** Kept runs laid over each other while none is open: they are compared among themselves. */
export function Overlaid({ page }: { page: Page }) {
  const { session } = page;
  const runs = overlaidRuns(page);
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
      <Charts runs={uniquelyNamed(runs)} marksEnding={!hidesEnding(page)} />
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
