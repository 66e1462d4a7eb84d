/** The button that asks, and what keeps it from being pressed. */
import type { Signal } from '@preact/signals';

export function AskButton(props: {
  /** Why it cannot be asked as it stands; null where it can. */
  fault: string | null;
  /** A run trains here. */
  isBusy: boolean;
  isAsking: Signal<boolean>;
  ask: () => Promise<void>;
}) {
  const { fault, isBusy, isAsking, ask } = props;
  return (
    <div class="actions">
      <button
        type="button"
        class="primary"
        disabled={fault !== null || isBusy || isAsking.value}
        onClick={() => void ask()}
      >
        Ask
      </button>
      <p role="status">
        {isAsking.value
          ? 'It is loaded and asked …'
          : (fault ?? (isBusy ? 'The run has the device: stop it, or wait for its end, to ask.' : ''))}
      </p>
    </div>
  );
}
