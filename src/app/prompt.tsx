/** What was asked, what the answer is, and what the shortcut would say. */
import type { Rollout } from '../run/events';

export function Prompt({ rollout }: { rollout: Rollout }) {
  return (
    <div class="prompt">
      <p class="words">{rollout.prompt}</p>
      <Facts rollout={rollout} />
    </div>
  );
}

export function Facts({ rollout: { order, goldAnswer, shortcutAnswer } }: { rollout: Rollout }) {
  return (
    <p class="facts">
      Order {order}. True answer: <b>{goldAnswer}</b>.
      {shortcutAnswer === null ? null : (
        <>
          {' '}
          <span class="shortcut">
            The shortcut says <b>{shortcutAnswer}</b>
          </span>
          {shortcutAnswer === goldAnswer ? ', and is right.' : ', and is wrong.'}
        </>
      )}
    </p>
  );
}
