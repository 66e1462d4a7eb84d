/** Results of a run: verdict, charts, newest answers, and tabs for the rest. */
import { useSignal, type Signal } from '@preact/signals';
import type { ChosenBackend } from '../../../workers/protocol';
import { useEffect } from 'preact/hooks';
import { borderOf } from '../../run/config/warm-start';
import { standingOf } from '../../run/verdict/ending';
import { Alerts, alertsToShow } from '../verdict/alerts';
import { keptChartRun, viewChartRun } from '../charts/lines/curve';
import { awaitsGuess, hidesEnding, shownName } from '../page/hiding';
import { later } from '../ui/later';
import { distinctlyNamed } from '../ui/numbers';
import { endingSentence, seenWords } from '../words/ending-words';
import type { Page } from '../page/page';
import { stepsTaken, type RunView } from '../session/run-view';
import { backendNames } from '../settings/settings';
import { Charts } from '../charts/charts';
import { AnswerStream } from './answer-stream';
import { chooseTab, Tabs, type Tab } from '../ui/tabs';

const VerdictPanel = later(() => import('../verdict/verdict-panel').then((part) => part.VerdictPanel));
const TaskTable = later(() => import('../verdict/evaluation-table').then((part) => part.TaskTable));
const AskPanel = later(() => import('../ask/ask-panel').then((part) => part.AskPanel));
const StepPanel = later(() => import('./step-panel').then((part) => part.StepPanel));
const EvaluationTable = later(() =>
  import('../verdict/evaluation-table').then((part) => part.EvaluationTable),
);
const Why = later(() => import('./why').then((part) => part.Why));
const Report = later(() => import('./report').then((part) => part.Report));
const Runs = later(() => import('../runs/runs-screen').then((part) => part.Runs));

type FindingsProps = Pick<Page, 'session' | 'places' | 'lesson' | 'lookedAt' | 'ladder'> & {
  view: RunView;
  isOfRun: boolean;
};

/**
 * Results of one run, and of the runs laid over it.
 *
 * @param props.isOfRun - a run of the visitor is shown or starting; the list of runs is then one of the tabs
 */
export function Findings(props: FindingsProps) {
  const { session, lookedAt, places, ladder, view, isOfRun } = props;
  const place = places.place.value;
  const opened = place.name === 'run' ? (place.tab ?? null) : null;
  const chosenTab = useSignal(opened);
  useEffect(() => {
    if (opened === null) return;
    // Content that loads late would shift the tab.
    void Promise.all([AskPanel.ready(), Why.ready()]).then(() => chooseTab(chosenTab, opened));
  }, [opened]);
  const isGuessDue = awaitsGuess(props, view);
  const isEndingHidden = hidesEnding(props) || isGuessDue;
  const { config, id } = view;
  const evaluations = view.evaluations.value;
  const name = view.origin === 'recording' ? 'recording' : shownName(isEndingHidden, config);
  const others = (isOfRun ? session.overlays.value : []).flatMap((history) => {
    const record = session.runOf(history.record.id);
    if (record === undefined || record.id === id) return []; // deleted, perhaps by another tab, or on show
    return keptChartRun(shownName(isEndingHidden, record.config), history);
  });
  const taken = stepsTaken(view);
  const until = Math.min(lookedAt.value ?? taken, taken);
  const upTo = evaluations.filter(({ report }) => report.step <= until);
  const stepPanel = (shows: 'update' | 'samples') => <StepPanel key={shows} {...{ shows, view, until }} />;
  const record = isEndingHidden ? undefined : session.runOf(id);
  const rows: (Tab | null)[] = [
    [
      'curves',
      'Curves and answers',
      () => (
        <>
          <div class="run-curves stack">
            <Charts runs={distinctlyNamed([viewChartRun(name, view), ...others])} lookedAt={lookedAt} />
          </div>
          <AnswerStream key={id} view={view} />
          <Alerts alerts={alertsToShow(view.alerts.value, isEndingHidden)} />
        </>
      ),
    ],
    isEndingHidden ? null : ['why', 'Why?', () => <Why key={id ?? config.preset} view={view} />],
    ['update', 'What the update did', () => stepPanel('update')],
    ['samples', 'Sample by sample', () => stepPanel('samples')],
    ['ask', 'Ask it yourself', () => <AskPanel session={session} config={config} run={id} />],
    [
      'evaluation',
      'Evaluation',
      () => (
        <>
          {isEndingHidden ? null : <VerdictPanel evaluations={evaluations} border={borderOf(config)} />}
          <EvaluationTable evaluations={upTo} />
          <TaskTable evaluations={upTo} />
        </>
      ),
    ],
    record === undefined
      ? null
      : ['report', 'Report', () => <Report key={id} {...{ session, view, record }} />],
    isOfRun
      ? [
          'runs',
          'Runs',
          () => (
            <>
              <BackendLine choice={view.backend} />
              <Runs {...props} />
            </>
          ),
        ]
      : null,
  ];
  const tabs = rows.filter((row) => row !== null);
  const [tab] = tabs.find(([name]) => name === chosenTab.value) ?? tabs[0];
  const isOfStep = ['curves', 'update', 'samples', 'evaluation'].includes(tab);
  return (
    <div class="stack">
      <VerdictLine
        {...{ view, isEndingHidden }}
        onSkip={isGuessDue ? () => (ladder.isSkipped.value = true) : undefined}
        onWhy={() => chooseTab(chosenTab, 'why')}
      />
      <Tabs label="About this run" chosen={chosenTab} tabs={tabs}>
        {isOfStep ? <Scrubber taken={taken} at={lookedAt} steps={config.steps} /> : null}
      </Tabs>
    </div>
  );
}

/** The ending of the run, and a button that leads to the reasons. */
export function VerdictLine(props: {
  view: RunView;
  isEndingHidden: boolean;
  /** Skips the guess on the first screen, which the ending waits for; absent if it does not wait. */
  onSkip?: () => void;
  onWhy: () => void;
}) {
  const { view, isEndingHidden, onSkip, onWhy } = props;
  const evaluations = view.evaluations.value;
  const standing = isEndingHidden ? null : standingOf(evaluations);
  return (
    <section class="verdict-line spread" aria-label="Verdict">
      <p class="row">
        {standing !== null ? (
          <>
            <b>
              {standing.provisional ? 'So far: ' : ''}
              {endingSentence({ ...standing, kept: null })}.
            </b>{' '}
            <span class="facts">On test questions: {seenWords(evaluations.at(-1)?.verdict ?? null)}</span>
          </>
        ) : onSkip !== undefined ? (
          <>
            The ending waits for your guess on the first screen. <button onClick={onSkip}>Skip</button>
          </>
        ) : (
          'No verdict yet.'
        )}
      </p>
      {isEndingHidden ? null : (
        <button disabled={standing === null} onClick={onWhy}>
          Why?
        </button>
      )}
    </section>
  );
}

/** Slider that chooses the step shown by the charts, the update and the tables. A null `at` follows the run. */
function Scrubber({ at, taken, steps }: { at: Signal<number | null>; taken: number; steps: number }) {
  const step = Math.min(at.value ?? taken, taken);
  return (
    <div class="scrubber row" role="group" aria-label="Step that the page shows">
      <input
        aria-label="Step"
        type="range"
        disabled={taken === 0}
        min="0"
        max={steps}
        value={step}
        aria-valuetext={`step ${step} of ${steps}`}
        onInput={(event) => {
          const value = event.currentTarget.valueAsNumber;
          at.value = value >= taken ? null : value;
          // Keeps the thumb within the steps taken.
          event.currentTarget.value = String(Math.min(value, taken));
        }}
      />
      <output>
        {step} of {steps}
      </output>
    </div>
  );
}

/** Backend of a run, and the reason for its choice. */
export function BackendLine({ choice }: { choice: ChosenBackend | null }) {
  if (choice === null) return null;
  return (
    <p class="facts">
      Runs on the {backendNames[choice.backend]}
      {choice.adapter === null ? '' : `, ${choice.adapter}`}. {choice.reason}
    </p>
  );
}
