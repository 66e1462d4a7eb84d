/** Slider that chooses the step shown by the charts, the completions, the update and the tables. */
import type { Signal } from '@preact/signals';

export function Scrubber(props: {
  /** The chosen step; null follows a running run, or means that none is chosen. */
  at: Signal<number | null>;
  /** The step shown as an example while none is chosen; null if there is none. */
  example: number | null;
  taken: number;
  steps: number;
  isRunning: boolean;
}) {
  const { at, example, taken, steps, isRunning } = props;
  const step = Math.min(at.value ?? example ?? taken, taken);
  const latest = isRunning ? null : taken;
  return (
    <div class="scrubber row" role="group" aria-label="Step that the page shows">
      <label>
        <span class="visually-hidden">Step</span>
        <input
          type="range"
          disabled={taken === 0}
          min="0"
          max={steps}
          value={step}
          aria-valuetext={`step ${step} of ${steps}`}
          onInput={(event) => {
            const value = event.currentTarget.valueAsNumber;
            at.value = value >= taken ? latest : value;
            // Keeps the thumb within the steps taken.
            event.currentTarget.value = String(Math.min(value, taken));
          }}
        />
      </label>
      <output>
        {step} of {steps}
      </output>
      <button disabled={step === 0} onClick={() => (at.value = 0)}>
        First
      </button>
      <button disabled={at.value === latest} onClick={() => (at.value = latest)}>
        Latest
      </button>
    </div>
  );
}
