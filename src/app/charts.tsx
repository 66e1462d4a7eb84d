/** The figures of a run: what each chart shows, for one run or for several laid over each other. */
import { signal, type Signal } from '@preact/signals';
import type { RunConfig } from '../run/config';
import type { StepRecord } from '../run/events';
import { mean } from '../run/statistics';
import { detailMetrics, mainMetrics, paidWords } from './charted-metrics';
import { endingMark } from './ending-words';
import { armCurve, armNames } from './arm-curve';
import { Chart } from './chart';
import type { ChartMark } from './chart-drawing';
import { referenceDash, type ChartLine } from './chart-line';
import {
  axisKinds,
  axisOf,
  canRunAlong,
  placeOfStep,
  placesOf,
  type AxisKind,
  type ChartAxis,
} from './chart-axis';
import { along, highlighted, logarithmic, zoom, zoomBy } from './chart-view';
import { percent, plainNumber } from './numbers';
import type { Evaluation } from '../run/evaluation';
import { shortcutLines } from './shortcut-lines';
import { smoothed, usualSmoothing } from './smoothing';

/** What the charts read of a run, live or kept. */
export interface ChartRun {
  name: string;
  records: readonly StepRecord[];
  evaluations: readonly Evaluation[];
  steps: number;
  /** What sets its arm apart: runs of one arm share a colour, and may be drawn as their mean. */
  arm?: string;
  /** From which its arm is told where it is not named. */
  config?: RunConfig;
  /** The program that trained it, where it was not Marble. */
  program?: string | null;
}

function withArms(runs: readonly ChartRun[]): readonly ChartRun[] {
  const arms = runs.length < 2 ? null : armNames(runs);
  return arms === null ? runs : runs.map((run, index) => ({ ...run, arm: arms[index] }));
}

const smoothing = signal(usualSmoothing);
const moreOpen = signal(false);

/** Line colours of runs laid over each other. */
const overlayColours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];

/** Runs of the arms of a sweep or a class, drawn as one line with a band for each arm. */
const asArms = signal(true);

interface Look {
  colour: string;
  dash: number;
}

/** Line of the run or the arm at this place: where colours come round again, the dashes differ. */
function lookOf(place: number): Look {
  return { colour: overlayColours[place % overlayColours.length], dash: place };
}

function armsOf(runs: readonly ChartRun[]): string[] {
  return [...new Set(runs.map(({ arm, name }) => arm ?? name))];
}

/** Runs of one arm have its colour and differ by their dashes; where there is but one arm they differ by both. */
function overlayLook(runs: readonly ChartRun[], index: number): Look {
  const arms = armsOf(runs);
  if (arms.length === 1) return lookOf(index);
  const armAt = (place: number): number => arms.indexOf(runs[place].arm ?? runs[place].name);
  const arm = armAt(index);
  const before = runs.slice(0, index).filter((_, place) => armAt(place) === arm).length;
  return { ...lookOf(arm), dash: arm + before * arms.length };
}

/** The line of the run that is pointed at, over those of the arms. */
function withHighlighted(
  runs: readonly ChartRun[],
  arms: readonly ChartLine[],
  own: (run: ChartRun) => ChartLine,
): ChartLine[] {
  const run = runs.find(({ name }) => name === highlighted.value);
  return run === undefined
    ? [...arms]
    : [...arms, { ...own(run), label: run.name, colour: '--ink', dash: 0 }];
}

/** Whether there is an arm of several runs. */
function canBeArms(runs: readonly ChartRun[]): boolean {
  return runs.length > 1 && armsOf(runs).length < runs.length;
}

/** A line for each arm: the mean of its runs' lines, and one standard deviation on either side. */
function armLines(runs: readonly ChartRun[], lines: readonly ChartLine[], kind: AxisKind): ChartLine[] {
  return armsOf(runs).map((arm, place) => {
    const isOwn = (_: unknown, index: number): boolean => (runs[index].arm ?? runs[index].name) === arm;
    const own = lines.filter(isOwn);
    const { steps: taken, mean, low, high } = armCurve(own);
    const records = runs.filter(isOwn).map((run) => run.records);
    const steps = kind === 'step' ? taken : taken.map((step) => meanPlace(records, kind, step));
    const label = `${arm === '' ? 'all' : arm} (${own.length === 1 ? '1 run' : `${own.length} runs`})`;
    return { label, ...lookOf(place), steps, values: mean, band: own.length > 1 ? { low, high } : undefined };
  });
}

/** The runs of an arm come to a step at different times: it stands in their middle. */
function meanPlace(runs: readonly (readonly StepRecord[])[], kind: AxisKind, step: number): number {
  return mean(runs.map((records) => placeOfStep(records, kind, step)));
}

function metric(records: readonly StepRecord[], name: string): (number | null)[] {
  return records.map((record) => (Number.isFinite(record[name]) ? record[name] : null));
}

/** A metric of every step, raw and smoothed; of several runs only the smoothed ones, each under its name, or their arms. */
function stepLines(runs: readonly ChartRun[], name: string, kind: AxisKind, colour: string): ChartLine[] {
  const isArms = runs.length > 1 && asArms.value && canBeArms(runs);
  const lines = runs.map((run, index): ChartLine => {
    // Arms are averaged step by step.
    const steps = placesOf(run.records, isArms ? 'step' : kind);
    const values = smoothed(metric(run.records, name), smoothing.value);
    if (runs.length === 1) return { label: 'smoothed', colour, steps, values };
    return { label: run.name, ...overlayLook(runs, index), steps, values };
  });
  if (runs.length === 1) {
    const raw = metric(runs[0].records, name);
    return [{ label: 'each step', colour, steps: lines[0].steps, values: raw, faint: true }, ...lines];
  }
  if (!isArms) return lines;
  return withHighlighted(runs, armLines(runs, lines, kind), (run) => ({
    ...lines[runs.indexOf(run)],
    steps: placesOf(run.records, kind),
  }));
}

interface EvaluationLine {
  label: string;
  colour: string;
  of: (evaluation: Evaluation) => number;
  dash: number;
  faint?: boolean;
}

function evaluationLines(
  runs: readonly ChartRun[],
  lines: readonly EvaluationLine[],
  kind: AxisKind,
): ChartLine[] {
  return runs.flatMap((run, index) => {
    const steps = run.evaluations.map(({ report }) => placeOfStep(run.records, kind, report.step));
    return lines.map(({ label, colour, of, dash, faint }) => ({
      label: runs.length > 1 ? `${run.name}: ${label}` : label,
      ...(runs.length > 1 ? overlayLook(runs, index) : { colour, dash }),
      steps,
      values: run.evaluations.map(of).map((value) => (Number.isFinite(value) ? value : null)),
      faint,
      points: dash !== referenceDash && faint !== true,
    }));
  });
}

const accuracyLines: EvaluationLine[] = [
  {
    label: 'model, where the shortcut is right',
    colour: '--shortcut',
    dash: 1,
    of: ({ report }) => report.shortcutRight.accuracy,
  },
  {
    label: 'model, where it is wrong',
    colour: '--thinking',
    dash: 2,
    of: ({ report }) => report.shortcutWrong.accuracy,
  },
  { label: 'model, all questions', colour: '--ink', dash: 0, of: ({ report }) => report.overall.accuracy },
  {
    label: 'always using the shortcut',
    colour: '--quiet',
    dash: referenceDash,
    of: ({ report }) => report.shortcutLine,
  },
];

const greedyLength: EvaluationLine = {
  label: 'greedy',
  colour: '--ink',
  dash: 1,
  of: ({ report }) => report.meanThinkLength,
};

/** More lines than these cannot be told apart. */
const runsWithTwoLines = 3;

/** Of a few runs the two lines that tell a shortcut from reasoning, of many the telling one; and the shortcut once. */
function comparedAccuracy(runs: readonly ChartRun[], kind: AxisKind): ChartLine[] {
  const [, wrong, all, shortcut] = accuracyLines;
  const references = shortcutLines(runs).map(({ label, run }): ChartLine => {
    const [line] = evaluationLines([runs[run]], [shortcut], kind);
    return { ...line, label };
  });
  if (asArms.value && canBeArms(runs)) {
    const lines = armLines(runs, evaluationLines(runs, [wrong], 'step'), kind);
    return [
      ...withHighlighted(
        runs,
        lines.map((line) => ({
          ...line,
          label: `${line.label}: where the shortcut is wrong`,
          points: true,
        })),
        (run) => evaluationLines([run], [wrong], kind)[0],
      ),
      ...references,
    ];
  }
  const lines = runs.length > runsWithTwoLines ? [wrong] : [wrong, { ...all, faint: true }];
  return [...evaluationLines(runs, lines, kind), ...references];
}

/** `: 2000 questions at both ends, the first 500 of them in between`; empty where all looks are alike. */
function setWords(run: ChartRun | null): string {
  const counts = run?.evaluations.map(({ report }) => report.overall.count) ?? [];
  const [all, first] = [Math.max(...counts), Math.min(...counts)];
  return all > first ? `: ${all} questions at both ends, the first ${first} of them in between` : '';
}

/** Before the first step nobody knows: the place is kept. */
function mayHaveStatements(records: readonly StepRecord[]): boolean {
  return records.length === 0 || records.some((record) => mainMetrics.statements in record);
}

export function Charts({
  runs: given,
  marksEnding = true,
  lookedAt,
}: {
  runs: readonly ChartRun[];
  marksEnding?: boolean;
  /** The step that the page's scrubber stands on; charts without one have a cursor alone. */
  lookedAt?: Signal<number | null>;
}) {
  const runs = withArms(given);
  const steps = Math.max(1, ...runs.map((run) => run.steps));
  const records = runs.map((run) => run.records);
  const kind = canRunAlong(along.value, records) ? along.value : 'step';
  const axis = axisOf(kind, records, steps);
  const single = runs.length === 1 ? runs[0] : null;
  const paid = single?.config && paidWords[single.config.reward.preset];
  const mark: ChartMark | null = single === null || !marksEnding ? null : endingMark(single.evaluations);
  return (
    <>
      <h2 class="visually-hidden">Charts</h2>
      <div class="charts">
        <Chart
          title="Reward"
          about={`What training raises: the mean over the step’s sampled completions.${paid === undefined ? '' : ` It pays ${paid}.`}`}
          lines={stepLines(runs, mainMetrics.reward, kind, '--ink')}
          axis={axis}
          lookedAt={lookedAt}
        />
        <Chart
          title="Thinking"
          about={
            single === null
              ? 'Tokens of reasoning per completion, sampled.'
              : 'Tokens of reasoning per completion: sampled while training, and greedy at the evaluations, as the verdict counts them.'
          }
          lines={[
            ...stepLines(runs, mainMetrics.thinking, kind, '--thinking'),
            ...(single === null ? [] : evaluationLines(runs, [greedyLength], kind)),
          ]}
          axis={axis}
          lookedAt={lookedAt}
          isFromZero
          mark={mark}
        />
        {runs.some((run) => mayHaveStatements(run.records)) ? (
          <Chart
            title="True statements"
            about={`Of the statements in the sampled reasoning, the fraction that the simulated world bears out.${
              runs.some(({ config }) => config?.data.source === 'swap')
                ? ' “none” is true where not all who are asked about saw the event: a trace of many “none” can look good and follow nobody.'
                : ''
            }`}
            lines={stepLines(runs, mainMetrics.statements, kind, '--right')}
            axis={axis}
            lookedAt={lookedAt}
            range={[0, 1]}
            format={percent}
          />
        ) : null}
        <Chart
          title="Accuracy"
          about={
            shortcutLines(runs).length > 1
              ? 'These runs were asked different questions: a line of one is not above or below that of another.'
              : `Greedy, on a fixed set${setWords(single)}. A shortcut that follows no belief is right on most of it: by it accuracy can rise with no reasoning at all.`
          }
          lines={single === null ? comparedAccuracy(runs, kind) : evaluationLines(runs, accuracyLines, kind)}
          axis={axis}
          lookedAt={lookedAt}
          range={[0, 1]}
          format={percent}
        />
      </div>
      <details class="more" onToggle={(event) => (moreOpen.value = event.currentTarget.open)}>
        <summary>More curves: entropy, KL, cut-off completions, groups without variance, speed</summary>
        {moreOpen.value ? <MoreCharts runs={runs} kind={kind} axis={axis} lookedAt={lookedAt} /> : null}
      </details>
      <ChartView axis={axis} kind={kind} records={records} hasArms={canBeArms(runs)} />
    </>
  );
}

const axisOptions: Record<AxisKind, string> = {
  step: 'steps',
  tokens: 'tokens',
  time: 'training time, evaluations left out',
};

/** How the charts are looked at, all of them alike. */
function ChartView(props: {
  axis: ChartAxis;
  kind: AxisKind;
  records: readonly (readonly StepRecord[])[];
  hasArms: boolean;
}) {
  const { axis, kind, records, hasArms } = props;
  const seen = zoom.value;
  return (
    <div class="chart-view">
      <label class="smoothing">
        Smoothing of the strong lines
        <input
          type="range"
          min="0"
          max="0.98"
          step="0.02"
          value={smoothing}
          onInput={(event) => (smoothing.value = event.currentTarget.valueAsNumber)}
        />
        <output>{smoothing.value.toFixed(2)}</output>
      </label>
      <label>
        Along{' '}
        <select
          value={kind}
          onChange={(event) => {
            along.value = event.currentTarget.value as AxisKind;
            zoom.value = null;
          }}
        >
          {axisKinds.map((other) => (
            <option key={other} value={other} disabled={!canRunAlong(other, records)}>
              {axisOptions[other]}
            </option>
          ))}
        </select>
      </label>
      {hasArms ? (
        <label>
          <input
            type="checkbox"
            checked={asArms.value}
            onChange={(event) => (asArms.value = event.currentTarget.checked)}
          />{' '}
          Mean of each arm, ± one standard deviation
        </label>
      ) : null}
      <label>
        <input
          type="checkbox"
          checked={logarithmic.value}
          onChange={(event) => (logarithmic.value = event.currentTarget.checked)}
        />{' '}
        Logarithmic axes
      </label>
      <span class="zoom" role="group" aria-label="Zoom of all charts">
        <button type="button" onClick={() => zoomBy(0.5, axis.length, null)}>
          Zoom in
        </button>
        <button type="button" disabled={seen === null} onClick={() => zoomBy(2, axis.length, null)}>
          Zoom out
        </button>
        <button type="button" disabled={seen === null} onClick={() => (zoom.value = null)}>
          Whole run
        </button>
      </span>
      <small>
        {seen === null
          ? 'Or drag over a chart.'
          : kind === 'step'
            ? `Steps ${Math.round(seen[0])} to ${Math.round(seen[1])}.`
            : `${axis.words(seen[0])} to ${axis.words(seen[1])}.`}
      </small>
    </div>
  );
}

function MoreCharts({
  runs,
  kind,
  axis,
  lookedAt,
}: {
  runs: readonly ChartRun[];
  kind: AxisKind;
  axis: ChartAxis;
  lookedAt?: Signal<number | null>;
}) {
  return (
    <div class="charts">
      {detailMetrics.map(({ metric: name, title, about, isShare }) => (
        <Chart
          key={name}
          title={title}
          about={about}
          lines={stepLines(runs, name, kind, '--ink')}
          axis={axis}
          lookedAt={lookedAt}
          format={isShare === true ? percent : plainNumber}
          range={isShare === true ? [0, 1] : undefined}
        />
      ))}
    </div>
  );
}
