/** Banner for a run that cannot learn, with a button that fixes the cause. */
import type { Signal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { RunView } from '../session/run-view';
import type { Session } from '../session/session';
import { until } from '../ui/until';

const mostTokens = 2048;

/** Settings with longer answers, for a run whose answers are all cut off; null at the limit. */
export function longerAnswers(config: RunConfig) {
  const { rollout } = config;
  const maxNewTokens = Math.min(mostTokens, Math.max(256, 2 * rollout.maxNewTokens));
  if (maxNewTokens <= rollout.maxNewTokens) return null;
  return {
    button: `Allow ${maxNewTokens} tokens and run again`,
    config: { ...config, rollout: { ...rollout, maxNewTokens } },
  };
}

/** Settings with a tenth of the learning rate, for a run whose updates destroyed the model. */
export function smallerUpdates(config: RunConfig) {
  const { optimizer } = config;
  const learningRate = Number((optimizer.learningRate / 10).toPrecision(3));
  return {
    button: `Lower the learning rate to ${learningRate} and run again`,
    config: { ...config, optimizer: { ...optimizer, learningRate } },
  };
}

/** Words and remedy by the code of the alert that says why every answer is cut off. */
const causes: Readonly<Record<string, [title: string, remedy: typeof longerAnswers]>> = {
  'rl/all-cut-off': ['This run cannot learn.', longerAnswers],
  'rl/no-longer-ends': ['This run can no longer learn.', smallerUpdates],
};

/** Shown while every answer is cut off, since such a run has no learning signal. */
export function Banner(props: { session: Session; draft: Signal<RunConfig>; view: RunView }) {
  const { session, draft, view } = props;
  const last = view.records.value.at(-1);
  const isCutOff = last !== undefined && last['completions/clipped_ratio'] === 1;
  const alert = view.alerts.value.findLast(({ code }) => Object.hasOwn(causes, code));
  if (alert === undefined || !isCutOff) return null;
  const [title, remedyOf] = causes[alert.code];
  const remedy = remedyOf(view.config);
  if (remedy === null) return null;
  const { button, config } = remedy;
  const runAgain = async (): Promise<void> => {
    draft.value = config;
    if (session.activity.value !== 'idle') await session.stop();
    await until(session.activity, (activity) => activity === 'idle');
    await session.start(config);
  };
  return (
    <div class="notice banner" role="status">
      <p>
        <b>{title}</b> {alert.cause}
      </p>
      <button class="primary" onClick={() => void runAgain()}>
        {button}
      </button>
    </div>
  );
}
