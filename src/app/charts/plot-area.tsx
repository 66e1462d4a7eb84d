/** A chart's canvas with keyboard control, which also speaks the values. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { group, openCanvas, type Drawing } from './canvas';
import { crosshair, zoom } from './chart-view';
import { stepsOf, toldAt } from './lines/curve';

/** Moves the cursor of all charts; null removes it. */
function pointAt(step: number | null): void {
  crosshair.value = step;
  for (const plot of group.plots) {
    const left = step === null ? -1 : plot.valToPos(step, 'x');
    plot.setCursor({ left: left < 0 ? -10 : left, top: 0 }, false);
  }
}

/** Maps a key to the next index, from the index `at` and the last index. */
const keys: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  PageUp: (at) => at - 10,
  PageDown: (at) => at + 10,
  Home: () => 0,
  End: (_, last) => last,
};

export function PlotArea(props: Drawing) {
  const { label, lines, format } = props;
  const lookedAt = props.lookedAt?.value ?? null;
  void zoom.value; // subscribes: a change of the zoom redraws every chart
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<ReturnType<typeof openCanvas> | null>(null);
  const spoken = useSignal('');
  useEffect(() => {
    canvas.current = openCanvas(place.current!);
    return () => canvas.current?.close();
  }, []);
  useEffect(() => canvas.current?.show(props));
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = stepsOf(lines);
    const last = steps.length - 1;
    const from = crosshair.value ?? lookedAt;
    const at = from === null ? last : steps.findLastIndex((step) => step <= from);
    const step = steps[Math.min(last, Math.max(0, keys[event.key]?.(at, last) ?? NaN))];
    if (step === undefined) return;
    event.preventDefault();
    pointAt(step);
    if (props.lookedAt !== undefined) props.lookedAt.value = step;
    spoken.value = `Step ${step}: ${toldAt(lines, step, format) || 'no value'}`;
  };
  return (
    <div
      class="canvas"
      tabIndex={0}
      role="group"
      aria-roledescription="chart"
      aria-label={label}
      ref={place}
      onKeyDown={onKeyDown}
      onBlur={() => pointAt(null)}
      onPointerMove={(event) => {
        if (event.pointerType !== 'touch') return;
        event.currentTarget.querySelector('.u-over')?.dispatchEvent(new MouseEvent('mousemove', event));
      }}
    >
      <p class="visually-hidden" aria-live="polite">
        {spoken}
      </p>
    </div>
  );
}
