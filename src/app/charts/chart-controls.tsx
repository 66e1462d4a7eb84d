/** How all charts are looked at: smoothing, logarithms, zoom, and the means of arms. */
import { smoothing } from './lines/chart-lines';
import { asArms, logarithmic, zoom } from './chart-view';
import { zoomBy } from './zooming';

/** @param steps - of the longest run */
export function ChartControls({ steps }: { steps: number }) {
  const seen = zoom.value;
  return (
    <div class="chart-view">
      <label class="smoothing">
        Smoothing of the strong lines
        <input
          type="range"
          min="0"
          max="0.98"
          step="0.02"
          value={smoothing}
          onInput={(event) => (smoothing.value = event.currentTarget.valueAsNumber)}
        />
        <output>{smoothing.value.toFixed(2)}</output>
      </label>
      <label>
        <input
          type="checkbox"
          checked={logarithmic.value}
          onChange={(event) => (logarithmic.value = event.currentTarget.checked)}
        />{' '}
        Logarithmic axes
      </label>
      <span class="zoom" role="group" aria-label="Zoom of all charts">
        <button type="button" onClick={() => zoomBy(0.5, steps, null)}>
          Zoom in
        </button>
        <button type="button" disabled={seen === null} onClick={() => zoomBy(2, steps, null)}>
          Zoom out
        </button>
        <button type="button" disabled={seen === null} onClick={() => (zoom.value = null)}>
          Whole run
        </button>
      </span>
      <small>
        {seen === null ? 'Or drag over a chart.' : `Steps ${Math.round(seen[0])} to ${Math.round(seen[1])}.`}
      </small>
    </div>
  );
}

/** Of runs of several seeds: their mean with a band, or each by itself. */
export function ArmsChoice() {
  return (
    <label>
      <input
        type="checkbox"
        checked={asArms.value}
        onChange={(event) => (asArms.value = event.currentTarget.checked)}
      />{' '}
      Mean of each arm (runs that differ by their seed alone), ± one standard deviation
    </label>
  );
}
