/** A run at a glance: its reward, its thinking, its right answers, and what it thinks and answers now. */
import { extent } from '../../base/statistics';
import { completionsOf } from '../../run/config/config';
import { borderOf } from '../../run/config/warm-start';
import { boundsOfReward } from '../../run/config/reward-bounds';
import type { Rollout } from '../../run/record/rollout-record';
import { Plot } from '../charts/plot';
import { hasShortcut } from '../charts/lines/chart-lines';
import { testCurve, valueAt, curvesOf, type Curve } from '../charts/lines/curve';
import { answerOf, answerPool, questionOf } from '../story/answers';
import type { RunView } from '../session/run-view';
import type { Evaluation } from '../../run/record/evaluation';
import { fromStart } from '../../run/verdict/ending';
import type { Recording } from '../../run/recording/recording-file';
import { AnswerText } from '../story/answer-text';
import { useFound } from '../ui/use-found';
import { percent, withMinus } from '../ui/numbers';

export interface RunPlotsProps {
  view: RunView;
  /** Of the same settings under another seed, drawn behind the run. */
  recording: Recording | null;
  /** Whether what tells the ending is marked on the curves. */
  marksEnding: boolean;
  /** Kept rollouts of a step. */
  load: (step: number) => Promise<readonly Rollout[]>;
}

export function RunPlots({ view, recording, marksEnding, load }: RunPlotsProps) {
  const latest = view.latestRollouts.value;
  const last = view.rolloutSteps.value.at(-1);
  // Of a run that did not train here the last ones are fetched.
  const kept = useFound(
    async () => (latest.length > 0 || last === undefined ? latest : load(last)),
    [view, latest],
  );
  const { steps, rollout, data } = view.config;
  const rewards = view.records.value.map(({ reward }) => reward);
  const isCustom = view.config.reward.custom !== undefined;
  const bounds = isCustom ? extent([0, 1, ...rewards]) : boundsOfReward(view.config);
  const border = borderOf(view.config);
  const evaluations = view.evaluations.value;
  const first = evaluations.at(0)?.report;
  const knowsShortcut = first === undefined || hasShortcut(first);
  const own = curvesOf(view.records.value, evaluations);
  const ghost = recording === null ? null : curvesOf(recording.records, recording.evals);
  // Greedy, by which the verdict goes.
  const testedOf = (all: readonly Evaluation[]): Curve =>
    testCurve(all, ({ meanThinkLength }) => meanThinkLength);
  const tested = testedOf(evaluations);
  return (
    <div class="plots">
      <Plot
        steps={steps}
        title="Reward"
        lines={[{ label: 'mean', colour: '--ink', ...own.reward, ghost: ghost?.reward }]}
        range={bounds}
        usual={[Math.max(0, bounds[0]), bounds[1]]}
        mark={border === 0 ? null : { step: border, word: 'rewards begin' }}
        format={withMinus}
      />
      <Plot
        steps={steps}
        title={view.config.model.kind === 'embedded' ? 'Words of thinking' : 'Tokens of thinking'}
        lines={[
          { label: 'practice', colour: '--thinking', ...own.thinking, ghost: ghost?.thinking },
          {
            label: 'test',
            colour: '--thinking',
            ...tested,
            dash: 1,
            points: true,
            ghost: recording === null ? undefined : testedOf(recording.evals),
          },
        ]}
        range={[0, rollout.maxNewTokens]}
        usual={[0, Math.ceil(rollout.maxNewTokens / 2)]}
        mark={marksEnding ? halvedAt(testedOf(fromStart(evaluations))) : null}
        format={(value) => value.toFixed(0)}
      />
      <Plot
        steps={steps}
        title="Right answers in the test"
        lines={
          knowsShortcut
            ? [
                { label: 'easy', colour: '--shortcut', ...own.easy, ghost: ghost?.easy },
                { label: 'hard', colour: '--hard', ...own.hard, ghost: ghost?.hard },
              ]
            : [{ label: 'right', colour: '--ink', ...own.all, points: true }]
        }
        range={[0, 1]}
        format={percent}
      />
      <LiveAnswer
        rollouts={latest.length > 0 ? latest : (kept ?? [])}
        thinking={own.thinking}
        steps={steps}
        samples={completionsOf(view.config)}
        isAwaited={data.source === 'swap'}
      />
    </div>
  );
}

/** The first test in which the thinking is at most half as long as at the start; null where none is. */
function halvedAt({ steps, values }: Curve): { step: number; word: string } | null {
  const start = values.at(0) ?? 0;
  const at = start > 0 ? values.findIndex((value) => value !== null && 2 * value <= start) : -1;
  return at === -1 ? null : { step: steps[at], word: 'halved' };
}

/** `98 of 128 right`, of all answers of a step; null where only some of them are at hand. */
function rightWords(rollouts: readonly Rollout[], samples: number): string | null {
  if (rollouts.length !== samples) return null;
  return `${rollouts.filter(({ reward }) => reward.correct).length} of ${samples} right`;
}

interface LiveAnswerProps {
  rollouts: readonly Rollout[];
  thinking: Curve;
  steps: number;
  /** Of a step; a recording keeps fewer of them. */
  samples: number;
  /** Its place is kept before the first one comes. */
  isAwaited: boolean;
}

function LiveAnswer({ rollouts, thinking, steps, samples, isAwaited }: LiveAnswerProps) {
  const mean = valueAt(thinking, rollouts.at(0)?.step ?? null) ?? 0;
  const answer = answerOf(answerPool(rollouts, mean));
  if (answer === null && !isAwaited) return null;
  return (
    <section class="rung stack live-answer" aria-label="An answer of the last step">
      <h2>
        In practice <span class="quiet">{rightWords(rollouts, samples)}</span>{' '}
        <span class="badge">
          {answer?.step ?? 0}/{steps}
        </span>
      </h2>
      {answer === null ? null : (
        <>
          <p class="asked-here">
            {answer.isHard ? 'Hard: ' : ''}
            {questionOf(answer)}
          </p>
          <AnswerText answer={answer} />
        </>
      )}
    </section>
  );
}
