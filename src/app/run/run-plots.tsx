/** A run at a glance: its reward, its thinking, its right answers, and what it thinks and answers now. */
import type { Rollout } from '../../run/record/rollout-record';
import { rangeAround } from '../charts/axes';
import { Plot } from '../charts/plot';
import { testCurve, valueAt, type Curve } from '../charts/lines/curve';
import { Help } from '../ladder/help';
import { answerOf, curvesOf, drawnOf, questionOf } from '../ladder/rung';
import type { RunView } from '../session/run-view';
import type { Recording } from '../start/recording';
import { AnswerText } from '../story/answer-text';
import { percent, withMinus } from '../ui/numbers';

export interface RunPlotsProps {
  view: RunView;
  /** Of the same preset, drawn behind the run. */
  recording: Recording | null;
}

/** Rewards of most kinds, and lengths, lie between these; an axis takes more where one does not. */
const usualRewards: readonly [number, number] = [-1, 3];
const usualLengths: readonly [number, number] = [0, 20];

export function RunPlots({ view, recording }: RunPlotsProps) {
  const { steps } = view.config;
  const evaluations = view.evaluations.value;
  const own = curvesOf(view.records.value, evaluations);
  const ghost = recording === null ? null : curvesOf(recording.records, recording.evals);
  // Greedy, by which the verdict goes.
  const tested = testCurve(evaluations, ({ meanThinkLength }) => meanThinkLength);
  return (
    <div class="plots">
      <Plot
        steps={steps}
        title="Reward"
        lines={[{ name: 'mean', colour: '--ink', ...own.reward, ghost: ghost?.reward }]}
        range={rangeAround([own.reward, ...(ghost === null ? [] : [ghost.reward])], usualRewards)}
        format={withMinus}
      />
      <Plot
        steps={steps}
        title={view.config.model.kind === 'embedded' ? 'Words of thinking' : 'Tokens of thinking'}
        lines={[
          { name: 'practice', colour: '--thinking', ...own.thinking, ghost: ghost?.thinking },
          { name: 'test', colour: '--ink', ...tested },
        ]}
        help={<Help about="thinking" />}
        range={rangeAround([own.thinking, tested, ...(ghost === null ? [] : [ghost.thinking])], usualLengths)}
        format={(value) => value.toFixed(0)}
      />
      <Plot
        steps={steps}
        title="Right answers in the test"
        help={<Help about="hard questions" often={evaluations.at(0)?.report.shortcutLine} />}
        lines={[
          { name: 'easy', colour: '--shortcut', ...own.easy },
          { name: 'hard', colour: '--thinking', ...own.hard, ghost: ghost?.hard },
        ]}
        range={[0, 1]}
        format={percent}
      />
      <LiveAnswer rollouts={view.latestRollouts.value} thinking={own.thinking} steps={steps} />
    </div>
  );
}

function LiveAnswer(props: { rollouts: readonly Rollout[]; thinking: Curve; steps: number }) {
  const { rollouts, thinking, steps } = props;
  const mean = valueAt(thinking, rollouts.at(0)?.step ?? null) ?? 0;
  const answer = answerOf(drawnOf(rollouts, mean));
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
