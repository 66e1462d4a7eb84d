/** Panel of a run: status, progress, pause, step and stop, and the actions after its end. */
import type { ListedRun } from '../../../workers/protocol';
import type { TrainerPhase } from '../../run/record/events';
import type { Page } from '../page/page';
import { Alerts } from '../verdict/alerts';
import { Banner } from './banner';
import { durationWords, measuredStep } from '../../run/estimate';
import type { DownloadProgress } from '../../store/weights/weight-cache';
import { counted } from '../ui/numbers';
import { sizeWords } from '../words/sizes';
import { secondsToGo } from '../page/planned';
import { RunControls } from '../runs/run-controls';
import { stepsTaken, type Activity, type Progress, type RunView } from '../session/run-view';
import { canGoOn, withAnotherSeed } from '../runs/kept-runs';
import { HandIn } from '../runs/hand-in';
import { hidesEnding, shownName } from '../page/hiding';
import { seatTitle } from '../../run/sweep/seats';
import { sameConfig } from '../../run/config/fields';
import { presetOf, watchWords } from '../../run/config/presets';

/** @param activity - of this run: `idle` also while only other runs train */
function statusWords(activity: Activity, view: RunView, kept: ListedRun | undefined, stage: string): string {
  if (activity === 'stopping') return 'Stopping';
  if (activity === 'opening' || view.id === null) return stage;
  if (activity === 'pausing') return 'Pausing';
  const taken = stepsTaken(view);
  const total = view.config.steps;
  if (activity === 'running') return `Step ${taken} of ${total}`;
  if (activity === 'paused') return `Paused after step ${taken} of ${total}; kept`;
  if (kept?.trainsElsewhere === true)
    return `Trains in another tab: step ${Math.max(taken, kept.step)} of ${total}`;
  return taken >= total ? `Finished: ${counted(total, 'step')}` : `Stopped at step ${taken} of ${total}`;
}

/** `, about 2 minutes left, 1,540 tokens/s, 58 MB of memory` */
function paceWords(view: RunView, memory: number | null): string {
  const left = secondsToGo(view);
  const speed = view.records.value.at(-1)?.['tokens_per_second/rollout'];
  return [
    left === null ? '' : `, about ${durationWords(left)} left`,
    speed === undefined ? '' : `, ${Math.round(speed).toLocaleString('en')} tokens/s`,
    memory === null ? '' : `, ${sizeWords(memory)} of memory`,
  ].join('');
}

const phases: Record<TrainerPhase, string> = {
  compile: 'compiling kernels',
  rollout: 'asking questions',
  reward: 'asking questions', // over at once
  reference: 'comparing with the start',
  update: 'learning',
  evaluate: 'asking test questions',
};

/** `asking questions, 44 %: 12 of 32`. @param secondsPerStep - null before it is known */
function phaseWords({ phase, fraction, count }: Progress, secondsPerStep: number | null): string {
  const isPartOfStep = phase !== 'compile' && phase !== 'evaluate';
  if (isPartOfStep && (secondsPerStep ?? Infinity) < 3) return 'training'; // phases too short to be read
  const done = count === undefined ? '' : `: ${count.done} of ${count.total}`;
  return `${phases[phase]}, ${Math.floor(100 * fraction)} %${done}`;
}

type RunPanelProps = Pick<Page, 'session' | 'places' | 'draft' | 'faults' | 'lesson' | 'ofClass'> & {
  view: RunView;
};

/** @param props.memory - planned, in bytes; null if unknown */
export function RunPanel({ memory, ...props }: RunPanelProps & { memory: number | null }) {
  const { session, places, draft, view } = props;
  const isEndingHidden = hidesEnding(props);
  const nameOf = (most: number): string => shownName(isEndingHidden, view.config, most);
  const watch = presetOf(view.config) === null ? undefined : watchWords[view.config.preset];
  const activity = session.activity.value;
  const download = session.download.value;
  // The view is then empty, and its settings may be those of another run.
  const isPreparing = view.id === null;
  /** True if only other runs train, as after the first of the small models has ended. */
  const isOther =
    ['running', 'pausing', 'paused'].includes(activity) && !isPreparing && !session.trainsHere(view.id!);
  const isRunning = activity === 'running' && !isOther && !isPreparing;
  const taken = stepsTaken(view);
  const total = view.config.steps;
  const progress = view.progress.value;
  const kept = session.runOf(view.id);
  const opened = props.ofClass.value?.id === view.id ? props.ofClass.value : null;
  const seat = opened?.student ?? kept?.class?.seat ?? null;
  // A teacher who reads the results hands nothing in.
  const isHandedIn = (seat !== null || props.lesson.value) && opened === null;
  const own = isOther ? 'idle' : activity;
  const words = `${statusWords(own, view, kept, session.stage.value)}${isOther ? '; another run trains' : ''}`;
  // Reason why the run paused automatically. A short step may end before the pause.
  const silence = view.alerts.value.filter(({ code, step }) => code === 'rl/no-signal' && taken <= step);
  return (
    <div class="run-panel stack">
      <div class="run-head spread">
        {isPreparing ? null : (
          <h2 class="one-line">
            {seat === null ? null : `${seatTitle(seat)}: `}
            <span title={nameOf(Infinity)}>{nameOf(2)}</span>
          </h2>
        )}
        <p class="run-status small">
          {words}
          {isRunning ? paceWords(view, memory) : null}
          {isRunning && progress !== null ? (
            <span class="phase quiet">{phaseWords(progress, measuredStep(view.records.value))}</span>
          ) : null}
        </p>
        {/* Announced on changes and at every tenth of the run, rather than at every step. */}
        <p class="visually-hidden" role="status">
          {isRunning ? `${Math.floor((10 * taken) / total) * 10} per cent done` : words}
        </p>
      </div>
      {watch === undefined || isEndingHidden || isPreparing ? null : <p class="what">{watch}</p>}
      {download !== null ? (
        <DownloadStatus progress={download} />
      ) : (
        <progress max={total} value={isPreparing ? undefined : taken} aria-label="Steps of the run" />
      )}
      <Banner {...{ session, draft, view }} />
      <Alerts alerts={own === 'paused' ? silence : []} />
      <div class="actions tight">
        {opened !== null ? (
          <button class="primary" onClick={() => places.go({ name: 'class' })}>
            Back to the class
          </button>
        ) : null}
        {activity === 'idle' ? (
          <>
            {isHandedIn && kept !== undefined ? <HandIn key={kept.id} session={session} run={kept} /> : null}
            <AfterRun {...props} {...{ kept }} isOfClass={seat !== null} />
          </>
        ) : isPreparing ? (
          <button disabled={activity === 'stopping'} onClick={() => void session.stop()}>
            Stop
          </button>
        ) : activity === 'pausing' || activity === 'stopping' ? null : (
          <RunControls session={session} canStep />
        )}
      </div>
    </div>
  );
}

/** @param props.isOfClass - of a student's run, which is handed in first. Every seat has its own seed, so none is offered. */
function AfterRun(props: RunPanelProps & { kept: ListedRun | undefined; isOfClass: boolean }) {
  const { session, draft, view, kept, isOfClass } = props;
  const finished = stepsTaken(view) >= view.config.steps;
  // A run that has just finished is listed as cut off until the list is refreshed.
  const isListed = !finished || view.origin !== 'live' || kept?.status !== 'running';
  const known = session.runs.value.map(({ config }) => config);
  return (
    <>
      {kept !== undefined && isListed && canGoOn(kept) ? (
        <button class={isOfClass ? '' : 'primary'} onClick={() => void session.resume(kept.id)}>
          Resume from step {kept.checkpointStep ?? 0}
        </button>
      ) : null}
      {isOfClass || !sameConfig(draft.value, view.config) ? null : (
        <button
          class={finished ? 'primary' : ''}
          disabled={props.faults.value.size > 0}
          onClick={() => void session.start(withAnotherSeed(draft.value, known))}
        >
          Another seed
        </button>
      )}
      <button onClick={() => session.show(null)}>New run</button>
    </>
  );
}

function DownloadStatus({ progress }: { progress: DownloadProgress }) {
  const { address, received, size, rate, secondsLeft } = progress;
  return (
    <>
      <p>
        Fetching {decodeURIComponent(address.slice(address.lastIndexOf('/') + 1))}: {sizeWords(received)} of{' '}
        {sizeWords(size)}
        {rate === null ? '' : `, ${sizeWords(rate)} per second`}
        {secondsLeft === null ? '' : `, about ${durationWords(secondsLeft)} to go`}
      </p>
      <progress max={size} value={received} aria-label="Download" />
    </>
  );
}
