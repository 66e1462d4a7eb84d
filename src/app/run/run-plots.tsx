/** A run at a glance: its reward, its thinking, its right answers, and what it thinks and answers now. */
import { useSignal } from '@preact/signals';
import type { Rollout } from '../../run/record/rollout-record';
import type { Evaluation } from '../../run/record/evaluation';
import { Plot, type Point } from '../charts/plot';
import { answerOf, curvesOf, questionOf } from '../ladder/rung';
import type { RunView } from '../session/run-view';
import type { Recording } from '../start/recording';
import { AnswerText } from '../story/answer-text';
import { percent, withMinus } from '../ui/numbers';

export interface RunPlotsProps {
  view: RunView;
  /** Of the same preset, drawn behind the run. */
  recording: Recording | null;
}

/** Rewards of most kinds lie between these; the axis takes more where one does not. */
const usualRewards: readonly [number, number] = [-1, 3];
const usualLength: number = 20;

export function RunPlots({ view, recording }: RunPlotsProps) {
  const at = useSignal<number | null>(null);
  const { steps } = view.config;
  const evaluations = view.evaluations.value;
  const own = curvesOf(view.records.value, evaluations);
  const ghost = recording === null ? null : curvesOf(recording.records, recording.evals);
  const shared = { steps, at };
  const rewards = [...own.reward, ...(ghost?.reward ?? [])].map(({ value }) => value);
  const lengths = [...own.thinking, ...testLengths(evaluations), ...(ghost?.thinking ?? [])].map(
    ({ value }) => value,
  );
  return (
    <div class="plots">
      <Plot
        {...shared}
        title="Reward"
        lines={[{ name: 'mean', colour: '--ink', points: own.reward, ghost: ghost?.reward ?? [] }]}
        range={[
          Math.floor(rewards.reduce((low, value) => Math.min(low, value), usualRewards[0])),
          Math.ceil(rewards.reduce((high, value) => Math.max(high, value), usualRewards[1])),
        ]}
        format={withMinus}
      />
      <Plot
        {...shared}
        title={view.config.model.kind === 'embedded' ? 'Words of thinking' : 'Tokens of thinking'}
        lines={[
          { name: 'practice', colour: '--thinking', points: own.thinking, ghost: ghost?.thinking ?? [] },
          { name: 'test', colour: '--ink', points: testLengths(evaluations), ghost: [] },
        ]}
        range={[0, roundTop(lengths.reduce((high, value) => Math.max(high, value), usualLength))]}
        format={(value) => value.toFixed(0)}
      />
      <Plot
        {...shared}
        title="Right answers in the test"
        lines={[
          { name: 'easy', colour: '--shortcut', points: own.easy, ghost: [] },
          { name: 'hard', colour: '--thinking', points: own.hard, ghost: ghost?.hard ?? [] },
        ]}
        range={[0, 1]}
        format={percent}
      />
      <LiveAnswer rollouts={view.latestRollouts.value} steps={steps} />
    </div>
  );
}

/** Greedy, by which the verdict goes. */
function testLengths(evaluations: readonly Evaluation[]): Point[] {
  return evaluations.map(({ report }) => ({ step: report.step, value: report.meanThinkLength }));
}

/** The next of 20, 30, 50, 100, 200, …: an axis that seldom moves. */
function roundTop(most: number): number {
  const scale = 10 ** Math.floor(Math.log10(most));
  return scale * ([1, 2, 3, 5, 10].find((factor) => factor * scale >= most) ?? 10);
}

function LiveAnswer({ rollouts, steps }: { rollouts: readonly Rollout[]; steps: number }) {
  const answer = answerOf(rollouts);
  if (answer === null) return null;
  return (
    <section class="rung live-answer" aria-label="An answer of the last step">
      <h2>
        In practice{' '}
        <span class="badge">
          {answer.step}/{steps}
        </span>
      </h2>
      <p class="asked-here">{questionOf(answer)}</p>
      <AnswerText answer={answer} />
    </section>
  );
}
