/** The charts of one run, or of several runs overlaid. */
import { signal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { borderOf } from '../../run/config/warm-start';
import { detailMetrics } from './lines/charted-metrics';
import { mainMetrics } from '../../run/recording/recording-file';
import { paysWords } from '../words/paying';
import { Chart, type ChartProps } from './chart';
import type { ChartMark } from './canvas';
import {
  accuracyOf,
  areArms,
  partLines,
  questionSets,
  setWords,
  shortcutWords,
  stepLines,
  testLines,
} from './lines/chart-lines';
import { testFigures, type ChartRun } from './lines/curve';
import { percent } from '../ui/numbers';

const moreOpen = signal(false);

const inPractice = 'in practice';
const onTest = 'on test questions';

/** True before the first step too: the chart of statements keeps its space until the records are known. */
const mayHaveStatements = ({ records }: ChartRun): boolean =>
  records.length === 0 || records.some((record) => record[mainMetrics.statements] !== undefined);

export function Charts(props: {
  runs: readonly ChartRun[];
  /** False hides words that hint at the ending. */
  tellsEnding?: boolean;
  /** Step of the page's scrubber, if it has one. */
  lookedAt?: Signal<number | null>;
}) {
  const { tellsEnding = true, lookedAt } = props;
  // Memoized by the records, since the lines of a long run are slow to compute.
  const contents = props.runs.flatMap((run) => [run.name, run.arm, run.records, run.evaluations, run.config]);
  const runs = useMemo(() => props.runs, contents);
  const drawn = useMemo(() => linesOf(runs), [runs]);
  const steps = Math.max(1, ...runs.map((run) => run.steps));
  const single = runs.length === 1 ? runs[0] : null;
  const border = single?.config === undefined ? 0 : borderOf(single.config);
  const borderMark = (...lines: string[]): ChartMark[] => (border === 0 ? [] : [{ step: border, lines }]);
  const mattering = tellsEnding ? 'What is true need not matter: that the verdict tells.' : undefined;
  const shared = { steps, lookedAt, marks: borderMark() };
  return (
    <>
      <h2 class="visually-hidden">Charts</h2>
      <div class="charts">
        <Chart
          {...shared}
          title="Reward"
          of={inPractice}
          unit="mean of a step"
          about="What training raises: the mean over the step’s samples."
          more={single?.config && paysWords(single.config)}
          lines={drawn.reward}
          marks={borderMark('rewards begin')}
        />
        <Chart
          {...shared}
          title="Thinking"
          of={single === null ? inPractice : undefined}
          unit="tokens"
          about={`How long the thinking is${single === null ? '' : ': of sampled answers in practice, of the likeliest ones on test questions'}.`}
          more={single === null ? undefined : 'The verdict goes by the length on test questions.'}
          lines={drawn.thinking}
          isFromZero
          isWhole
        />
        {runs.some(mayHaveStatements) ? (
          <Chart
            {...shared}
            title="True statements"
            of={inPractice}
            unit="mean of the answers"
            about="How many of an answer’s statements are true: 0 % for an answer without any, so this falls with the thinking too. One that is untrue makes the whole thinking untrue."
            more={
              runs.some(({ config }) => config?.data.source === 'swap')
                ? `“none” is true where not all who are asked about saw the event.${mattering === undefined ? '' : ` ${mattering}`}`
                : mattering
            }
            lines={drawn.statements}
            range={[0, 1]}
            format={percent}
          />
        ) : null}
        <Chart
          {...shared}
          {...drawn.accuracy}
          of={onTest}
          unit="right answers"
          about={
            questionSets(runs).length > 1
              ? 'These runs were asked different questions: a line of one is not above or below that of another.'
              : 'How many answers are right. Hard questions are those on which the shortcut is wrong.'
          }
          more={`Greedy, on a fixed set${setWords(single)}.${shortcutWords(runs)}`}
          range={[0, 1]}
          format={percent}
        />
      </div>
      <div class="folded row small">
        <details class="more" onToggle={(event) => (moreOpen.value = event.currentTarget.open)}>
          <summary class="quiet">
            More curves, in practice: loss, learning rate, KL, entropy, gradient norm, clip ratio
          </summary>
          {moreOpen.value ? <MoreCharts runs={runs} {...shared} /> : null}
        </details>
        <span class="quiet">Drag over a chart to zoom, double-click to see the whole run.</span>
        {areArms(runs) ? (
          <span>Mean of each arm (runs that differ by their seed alone), ± one standard deviation</span>
        ) : null}
      </div>
    </>
  );
}

const tested = { label: onTest, colour: '--thinking', dash: 1, of: testFigures.tested };

function linesOf(runs: readonly ChartRun[]) {
  const isSingle = runs.length === 1;
  return {
    reward: [...stepLines(runs, mainMetrics.reward, '--ink'), ...(isSingle ? partLines(runs[0]) : [])],
    thinking: [
      ...stepLines(runs, mainMetrics.thinking, '--thinking', [inPractice, `${inPractice}, smoothed`]),
      ...(isSingle ? testLines(runs[0], [tested]) : []),
    ],
    statements: stepLines(runs, mainMetrics.statements, '--right'),
    accuracy: accuracyOf(runs),
  };
}

const exponential = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

function MoreCharts(props: { runs: readonly ChartRun[] } & Pick<ChartProps, 'steps' | 'lookedAt' | 'marks'>) {
  const { runs, ...shared } = props;
  const lines = useMemo(() => detailMetrics.map(([metric]) => stepLines(runs, metric, '--ink')), [runs]);
  return (
    <div class="charts">
      {detailMetrics.map(([, title, unit, about, kind], place) =>
        lines[place].every(({ values }) => values.every((value) => value == null)) ? null : (
          <Chart
            {...{ ...shared, title, unit, about }}
            key={title}
            lines={lines[place]}
            format={kind === 'share' ? percent : kind === 'small' ? exponential : undefined}
            range={kind === 'share' ? [0, 1] : undefined}
            isWhole={kind === 'whole'}
          />
        ),
      )}
    </div>
  );
}
