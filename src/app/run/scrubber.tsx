/** One step for the whole page: charts, the question's completion, the update and the tables follow it. */
import type { Signal } from '@preact/signals';

export function Scrubber(props: {
  /** The step that is looked at; null follows the run, and where it stands, nobody has chosen one. */
  at: Signal<number | null>;
  /** The step that is shown as an example while nobody has chosen one; null where there is none. */
  example: number | null;
  /** Steps of the run so far. */
  taken: number;
  /** Of the whole run. */
  steps: number;
  isRunning: boolean;
}) {
  const { at, example, taken, steps, isRunning } = props;
  const step = Math.min(at.value ?? example ?? taken, taken);
  const latest = isRunning ? null : taken;
  return (
    <div class="scrubber" role="group" aria-label="Step that the page shows">
      <label>
        <span class="word">Step</span>
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
            // The thumb goes no further than the run.
            event.currentTarget.value = String(Math.min(value, taken));
          }}
        />
      </label>
      <output>
        {step} of {steps}
      </output>
      <button type="button" disabled={step === 0} onClick={() => (at.value = 0)}>
        <span class="word">First</span>
        <span class="sign" aria-hidden="true">
          ⇤
        </span>
      </button>
      <button type="button" disabled={at.value === latest} onClick={() => (at.value = latest)}>
        <span class="word">Latest</span>
        <span class="sign" aria-hidden="true">
          ⇥
        </span>
      </button>
    </div>
  );
}
