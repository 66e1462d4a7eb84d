/** One step for the whole page: charts, the question's completion, the update and the tables follow it. */
import type { Signal } from '@preact/signals';

/**
 * @param at the step that is looked at; null follows the run
 * @param taken steps of the run so far
 */
export function Scrubber({ at, taken, steps }: { at: Signal<number | null>; taken: number; steps: number }) {
  if (taken === 0) return null;
  const step = Math.min(at.value ?? taken, taken);
  return (
    <div class="scrubber" role="group" aria-label="Step that the page shows">
      <label>
        Step
        <input
          type="range"
          min="0"
          max={taken}
          value={step}
          aria-valuetext={`step ${step} of ${steps}`}
          onInput={(event) => {
            const value = event.currentTarget.valueAsNumber;
            at.value = value === taken ? null : value;
          }}
        />
      </label>
      <output>
        {step} of {steps}
      </output>
      <button type="button" disabled={step === 0} onClick={() => (at.value = 0)}>
        First
      </button>
      <button type="button" disabled={at.value === null} onClick={() => (at.value = null)}>
        Latest
      </button>
    </div>
  );
}
