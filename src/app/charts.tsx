/** The figures of a run: what each chart shows, for one run or for several laid over each other. */
import { signal, type Signal } from '@preact/signals';
import type { StepRecord } from '../run/events';
import { detailMetrics, mainMetrics } from './charted-metrics';
import { endingMark } from './ending-words';
import { Chart, type ChartMark } from './chart';
import type { ChartLine } from './chart-line';
import { percent, plainNumber } from './numbers';
import type { Evaluation } from '../run/evaluation';
import { shortcutLines } from './shortcut-lines';
import { smoothed } from './smoothing';

/** What the charts read of a run, live or kept. */
export interface ChartRun {
  name: string;
  records: readonly StepRecord[];
  evaluations: readonly Evaluation[];
  steps: number;
  /** Of runs laid over each other those with the same number have the same colour; else each has its own. */
  colour?: number;
}

const smoothing = signal(0.9);
const moreOpen = signal(false);

/** Line colours of runs laid over each other. */
const overlayColours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];

function overlayColour({ colour }: ChartRun, index: number): string {
  return overlayColours[(colour ?? index) % overlayColours.length];
}

function metric(records: readonly StepRecord[], name: string): (number | null)[] {
  return records.map((record) => (Number.isFinite(record[name]) ? record[name] : null));
}

/** A metric of every step, raw and smoothed; of several runs only the smoothed ones, each under its name. */
function stepLines(runs: readonly ChartRun[], name: string, label: string, colour: string): ChartLine[] {
  return runs.flatMap((run, index): ChartLine[] => {
    const steps = run.records.map((record) => record.step);
    const raw = metric(run.records, name);
    const smooth = smoothed(raw, smoothing.value);
    if (runs.length > 1)
      return [{ label: run.name, colour: overlayColour(run, index), steps, values: smooth }];
    return [
      { label: 'each step', colour, steps, values: raw, faint: true },
      { label, colour, steps, values: smooth },
    ];
  });
}

interface EvaluationLine {
  label: string;
  colour: string;
  of: (evaluation: Evaluation) => number;
  dashed?: boolean;
  faint?: boolean;
}

function evaluationLines(runs: readonly ChartRun[], lines: readonly EvaluationLine[]): ChartLine[] {
  return runs.flatMap((run, index) => {
    const steps = run.evaluations.map((evaluation) => evaluation.report.step);
    return lines.map(({ label, colour, of, dashed, faint }) => ({
      label: runs.length > 1 ? `${run.name}: ${label}` : label,
      colour: runs.length > 1 ? overlayColour(run, index) : colour,
      steps,
      values: run.evaluations.map(of).map((value) => (Number.isFinite(value) ? value : null)),
      dashed,
      faint,
      points: dashed !== true && faint !== true,
    }));
  });
}

const accuracyLines: EvaluationLine[] = [
  { label: 'shortcut right', colour: '--shortcut', of: ({ report }) => report.shortcutRight.accuracy },
  { label: 'shortcut wrong', colour: '--thinking', of: ({ report }) => report.shortcutWrong.accuracy },
  { label: 'all questions', colour: '--ink', of: ({ report }) => report.overall.accuracy },
  {
    label: 'the shortcut alone',
    colour: '--shortcut',
    of: ({ report }) => report.shortcutLine,
    dashed: true,
  },
];

/** More lines than these cannot be told apart. */
const runsWithTwoLines = 3;

/** Of a few runs the two lines that tell a shortcut from reasoning, of many the telling one; and the shortcut once. */
function comparedAccuracy(runs: readonly ChartRun[]): ChartLine[] {
  const [, wrong, all, shortcut] = accuracyLines;
  const references = shortcutLines(runs).map(({ label, run }): ChartLine => {
    const [line] = evaluationLines([runs[run]], [shortcut]);
    return { ...line, label };
  });
  const lines = runs.length > runsWithTwoLines ? [wrong] : [wrong, { ...all, faint: true }];
  return [...evaluationLines(runs, lines), ...references];
}

export function Charts({
  runs,
  marksEnding = true,
  lookedAt,
}: {
  runs: readonly ChartRun[];
  marksEnding?: boolean;
  /** The step that the page's scrubber stands on; charts without one have a cursor alone. */
  lookedAt?: Signal<number | null>;
}) {
  const steps = Math.max(1, ...runs.map((run) => run.steps));
  const single = runs.length === 1 ? runs[0] : null;
  const mark: ChartMark | null = single === null || !marksEnding ? null : endingMark(single.evaluations);
  return (
    <>
      <h2 class="visually-hidden">Charts</h2>
      <div class="charts">
        <Chart
          title="Reward"
          about="What training raises: the mean over the step’s samples."
          lines={stepLines(runs, mainMetrics.reward, 'smoothed', '--ink')}
          steps={steps}
          lookedAt={lookedAt}
        />
        <Chart
          title="Thinking"
          about="Tokens of reasoning per completion."
          lines={stepLines(runs, mainMetrics.thinking, 'smoothed', '--thinking')}
          steps={steps}
          lookedAt={lookedAt}
          mark={mark}
        />
        {runs.some(({ records }) => records.some((record) => mainMetrics.statements in record)) ? (
          <Chart
            title="True statements"
            about="Of the statements in the reasoning, the fraction that the simulated world bears out."
            lines={stepLines(runs, mainMetrics.statements, 'smoothed', '--right')}
            steps={steps}
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
              : 'On a fixed set: where a shortcut that tracks no belief is right, and where it is wrong.'
          }
          lines={single === null ? comparedAccuracy(runs) : evaluationLines(runs, accuracyLines)}
          steps={steps}
          lookedAt={lookedAt}
          range={[0, 1]}
          format={percent}
        />
      </div>
      <details class="more" onToggle={(event) => (moreOpen.value = event.currentTarget.open)}>
        <summary>More curves: entropy, KL, cut-off completions, groups without variance, speed</summary>
        {moreOpen.value ? <MoreCharts runs={runs} steps={steps} lookedAt={lookedAt} /> : null}
      </details>
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
    </>
  );
}

function MoreCharts({
  runs,
  steps,
  lookedAt,
}: {
  runs: readonly ChartRun[];
  steps: number;
  lookedAt?: Signal<number | null>;
}) {
  return (
    <div class="charts">
      {detailMetrics.map(({ metric: name, title, about, isShare }) => (
        <Chart
          key={name}
          title={title}
          about={about}
          lines={stepLines(runs, name, 'smoothed', '--ink')}
          steps={steps}
          lookedAt={lookedAt}
          format={isShare === true ? percent : plainNumber}
          range={isShare === true ? [0, 1] : undefined}
        />
      ))}
    </div>
  );
}
