/** Slider that chooses the step shown by the charts, the completions, the update and the tables. */
import type { Signal } from '@preact/signals';

export function Scrubber(props: {
  /** The chosen step; null follows the run. */
  at: Signal<number | null>;
  taken: number;
  steps: number;
}) {
  const { at, taken, steps } = props;
  const step = Math.min(at.value ?? taken, taken);
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
            at.value = value >= taken ? null : value;
            // Keeps the thumb within the steps taken.
            event.currentTarget.value = String(Math.min(value, taken));
          }}
        />
      </label>
      <output>
        {step} of {steps}
      </output>
    </div>
  );
}
