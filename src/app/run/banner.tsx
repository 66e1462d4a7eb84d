/** Banner for a run that cannot learn, with a button that fixes the cause. */
import type { Signal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { RunView } from '../session/run-view';
import type { Session } from '../session/session';

interface Remedy {
  button: string;
  config: RunConfig;
}

/** Upper limit of the answer length that the button sets. */
const mostTokens = 2048;

/** Settings with longer answers, for a run whose answers are all cut off; null at the limit. */
export function longerAnswers(config: RunConfig): Remedy | null {
  const { rollout } = config;
  const maxNewTokens = Math.min(mostTokens, Math.max(256, 2 * rollout.maxNewTokens));
  if (maxNewTokens <= rollout.maxNewTokens) return null;
  return {
    button: `Allow ${maxNewTokens} tokens and run again`,
    config: { ...config, rollout: { ...rollout, maxNewTokens } },
  };
}

/** Shown while every answer is cut off, since such a run has no learning signal. */
export function Banner(props: { session: Session; draft: Signal<RunConfig>; view: RunView }) {
  const { session, draft, view } = props;
  const last = view.records.value.at(-1);
  const isCutOff = last !== undefined && last['completions/clipped_ratio'] === 1;
  const alert = view.alerts.value.findLast(({ code }) => code === 'rl/all-cut-off');
  const remedy = isCutOff ? longerAnswers(view.config) : null;
  if (alert === undefined || remedy === null || session.activity.value === 'watching') return null;
  return (
    <div class="notice banner" role="status">
      <p>
        <b>This run cannot learn.</b> {alert.cause}
      </p>
      <button
        type="button"
        class="primary"
        onClick={() => {
          draft.value = remedy.config;
          void runAgain(session, remedy.config);
        }}
      >
        {remedy.button}
      </button>
    </div>
  );
}

/** Stops the current run, if there is one, and starts a new one. */
async function runAgain(session: Session, config: RunConfig): Promise<void> {
  if (session.activity.value !== 'idle') {
    const isIdle = new Promise<void>((resolve) => {
      const end = session.activity.subscribe((activity) => {
        if (activity !== 'idle') return;
        resolve();
        queueMicrotask(() => end());
      });
    });
    await session.stop();
    await isIdle;
  }
  await session.start(config);
}
