/** How all charts are looked at: smoothing, and which steps are in sight, by buttons, a drag or a double click. */
import { useSignal } from '@preact/signals';
import { zoom } from './chart-view';
import { smoothing } from './lines/chart-lines';

/** A press that moves by a smaller part of the width is no drag. */
const leastDrag = 0.02;

/**
 * @param steps - of the whole run
 * @returns what an element around a plot listens to, and what is drawn on the plot
 */
export function useZooming(steps: number) {
  /** Ends of the stretch that is dragged over, as parts of the width. */
  const dragged = useSignal<readonly [from: number, to: number] | null>(null);
  const partAt = (event: PointerEvent): number => {
    const { left, width } = plotOf(event).getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    plotOf(event).setPointerCapture(event.pointerId);
    dragged.value = [partAt(event), partAt(event)];
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (dragged.value !== null) dragged.value = [dragged.value[0], partAt(event)];
  };
  const onPointerUp = (): void => {
    const [low, high] = [...(dragged.value ?? [0, 0])].sort((one, other) => one - other);
    dragged.value = null;
    if (high - low < leastDrag) return;
    const [from, to] = inSight(steps);
    zoom.value = [from + low * (to - from), from + high * (to - from)];
  };
  const onDblClick = (): void => {
    zoom.value = null;
  };
  return {
    listeners: { onPointerDown, onPointerMove, onPointerUp, onDblClick },
    selection:
      dragged.value === null ? null : (
        <span
          class="dragged"
          style={{
            left: `${100 * Math.min(...dragged.value)}%`,
            right: `${100 * (1 - Math.max(...dragged.value))}%`,
          }}
        />
      ),
  };
}

function plotOf(event: Event): Element {
  return (event.currentTarget as Element).querySelector('.plot-area')!;
}

/** Steps that are in sight at least. */
const least = 2;

/** What is seen of a run of so many steps. */
export function inSight(steps: number): [number, number] {
  const chosen = zoom.value;
  const last = Math.max(1, steps);
  if (chosen === null || chosen[0] >= last) return [0, last];
  return [chosen[0], Math.min(last, chosen[1])];
}

/** @param factor - below 1 shows fewer steps; the middle stays unless an end of the run comes into sight */
function zoomBy(factor: number, steps: number): void {
  const [from, to] = inSight(steps);
  const width = Math.max(least, (to - from) * factor);
  if (width >= steps) {
    zoom.value = null;
    return;
  }
  const start = Math.min(Math.max(0, (from + to - width) / 2), steps - width);
  zoom.value = [start, start + width];
}

/** @param steps - of the longest run */
export function ChartControls({ steps }: { steps: number }) {
  const seen = zoom.value;
  return (
    <div class="chart-view row">
      <label class="smoothing row">
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
      <span class="zoom" role="group" aria-label="Zoom of all charts">
        <button type="button" onClick={() => zoomBy(0.5, steps)}>
          Zoom in
        </button>
        <button type="button" disabled={seen === null} onClick={() => zoomBy(2, steps)}>
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
