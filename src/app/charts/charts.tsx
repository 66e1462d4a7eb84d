/** The figures of a run: what each chart shows, for one run or for several laid over each other. */
import { signal, type Signal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { Evaluation } from '../../run/record/evaluation';
import type { StepRecord } from '../../run/record/events';
import { isLoss, standingOf } from '../../run/verdict/ending';
import { detailMetrics } from './lines/charted-metrics';
import { mainMetrics } from '../../run/recording/recording-file';
import { paysTrueStatements, paysWords } from '../words/paying';
import { Chart, type ChartMark } from './chart';
import { asArms } from './chart-view';
import { ChartControls } from './zooming';
import {
  accuracyLines,
  accuracyTitle,
  canBeArms,
  comparedAccuracy,
  drawsAllQuestions,
  evaluationLines,
  greedyLength,
  setWords,
  stepLines,
  withArms,
  shortcutLines,
  type ChartRun,
} from './lines/chart-lines';
import { percent, plainNumber } from '../ui/numbers';

const moreOpen = signal(false);

const raised = 'What training raises: the mean over the step’s samples.';

/** What stands above the reward's curve, and what behind it: a long rule, as of one that pays for statements. */
function rewardWords(config: RunConfig | undefined): [about: string, more?: string] {
  if (config === undefined) return [raised];
  const paid = paysWords(config);
  return paysTrueStatements(config) ? [raised, paid] : [paid, raised];
}

/** Before the first step nobody knows: the place is kept. */
function mayHaveStatements(records: readonly StepRecord[]): boolean {
  return records.length === 0 || records.some((record) => mainMetrics.statements in record);
}

/** What the length curve is marked with: where a loss of the reasoning was first judged; its other figures are the verdict's. */
export function endingMark(evaluations: readonly Evaluation[]): ChartMark | null {
  const standing = standingOf(evaluations);
  const verdict = evaluations.at(-1)?.verdict;
  if (verdict === undefined || standing?.since == null || !isLoss(standing.ending)) return null;
  const { length } = verdict;
  const isLow = 2 * length.now > length.before;
  return {
    step: standing.since,
    isLow,
    lines: [
      standing.ending,
      // what it speaks of may have come before: it is told once two looks in a row agree, or by the last
      `told ${standing.since === standing.step ? 'at' : 'since'} step ${standing.since}${standing.provisional ? ', so far' : ''}`,
      ...(isLow ? [] : [`${length.before.toFixed(1)} → ${length.now.toFixed(1)} tokens`]),
    ],
  };
}

export function Charts(props: {
  runs: readonly ChartRun[];
  /** False where the ending is hidden: neither mark nor word hints at one then. */
  marksEnding?: boolean;
  /** The ending is still to be guessed: its mark waits, and the words stay as they will be. */
  isGuessOpen?: boolean;
  /** The step that the page's scrubber stands on; charts without one have a cursor alone. */
  lookedAt?: Signal<number | null>;
}) {
  const { marksEnding = true, isGuessOpen = false, lookedAt } = props;
  const runs = withArms(props.runs);
  const steps = Math.max(1, ...runs.map((run) => run.steps));
  const single = runs.length === 1 ? runs[0] : null;
  const [reward, moreOfReward] = rewardWords(single?.config);
  const mark: ChartMark | null =
    single === null || !marksEnding || isGuessOpen ? null : endingMark(single.evaluations);
  // Where the ending is hidden nothing hints at one.
  const mattering = marksEnding ? 'What is true need not matter: that the verdict tells.' : undefined;
  const shared = { steps, lookedAt };
  return (
    <>
      <h2 class="visually-hidden">Charts</h2>
      <div class="charts">
        <Chart
          {...shared}
          title="Reward"
          unit="mean reward of a step"
          about={reward}
          more={moreOfReward}
          lines={stepLines(runs, mainMetrics.reward, '--ink')}
        />
        <Chart
          {...shared}
          title="Thinking"
          unit="words (tokens)"
          about={`How long the thinking is, sampled${single === null ? '' : ' and greedy'}.`}
          more={single === null ? undefined : 'The verdict goes by the greedy length.'}
          lines={[
            ...stepLines(runs, mainMetrics.thinking, '--thinking'),
            ...(single === null ? [] : evaluationLines(runs, [greedyLength])),
          ]}
          isFromZero
          isWhole
          mark={mark}
        />
        {runs.some((run) => mayHaveStatements(run.records)) ? (
          <Chart
            {...shared}
            title="True statements"
            unit="of the statements"
            about="Single statements, sampled: one that is untrue makes the whole thinking untrue."
            more={
              runs.some(({ config }) => config?.data.source === 'swap')
                ? `“none” is true where not all who are asked about saw the event.${mattering === undefined ? '' : ` ${mattering}`}`
                : mattering
            }
            lines={stepLines(runs, mainMetrics.statements, '--right')}
            range={[0, 1]}
            format={percent}
          />
        ) : null}
        <Chart
          {...shared}
          title={accuracyTitle(runs)}
          unit="of the answers right"
          about={
            shortcutLines(runs).length > 1
              ? 'These runs were asked different questions: a line of one is not above or below that of another.'
              : single === null
                ? `How many answers to hard questions are right${drawsAllQuestions(runs) ? '; the dashed line is what the shortcut alone gets of all questions' : ''}.`
                : marksEnding
                  ? 'It can rise by a shortcut, with no reasoning at all.'
                  : 'How many answers are right: of all, and by where a shortcut is.'
          }
          more={`Greedy, on a fixed set${setWords(single)}. A shortcut that follows nobody’s belief is right on most of it.`}
          lines={single === null ? comparedAccuracy(runs) : evaluationLines(runs, accuracyLines)}
          range={[0, 1]}
          format={percent}
        />
      </div>
      <div class="folded">
        <details class="more" onToggle={(event) => (moreOpen.value = event.currentTarget.open)}>
          <summary>More curves: entropy, KL, cut-offs, speed</summary>
          {moreOpen.value ? <MoreCharts runs={runs} {...shared} /> : null}
        </details>
        <details class="on-screen">
          <summary>Smoothing, zoom</summary>
          <ChartControls steps={steps} />
        </details>
        {canBeArms(runs) ? <ArmsChoice /> : null}
      </div>
    </>
  );
}

function MoreCharts(props: { runs: readonly ChartRun[]; steps: number; lookedAt?: Signal<number | null> }) {
  const { runs, ...shared } = props;
  return (
    <div class="charts">
      {detailMetrics.map(({ metric: name, title, unit, about, isShare, isWhole }) => (
        <Chart
          key={name}
          {...shared}
          title={title}
          unit={unit}
          about={about}
          lines={stepLines(runs, name, '--ink')}
          format={isShare === true ? percent : plainNumber}
          range={isShare === true ? [0, 1] : undefined}
          isWhole={isWhole}
        />
      ))}
    </div>
  );
}

/** Of runs of several seeds: their mean with a band, or each by itself. */
function ArmsChoice() {
  return (
    <label class="on-screen">
      <input
        type="checkbox"
        checked={asArms.value}
        onChange={(event) => (asArms.value = event.currentTarget.checked)}
      />{' '}
      Mean of each arm (runs that differ by their seed alone), ± one standard deviation
    </label>
  );
}
