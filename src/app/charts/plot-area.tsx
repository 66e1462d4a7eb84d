/** A chart's canvas with keyboard control, which also speaks the values. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type UPlot from 'uplot';
import { createPlot, dataOf, group, type Drawing } from './canvas';
import { crosshair, zoom, zoomIn } from './chart-view';
import { toldAt } from './lines/aligned';

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

/** Media queries whose change affects colours and dashes. */
const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];

/** Properties of a drawing that are fixed when uPlot is created. A change requires a new plot. */
const looksOf = ({ isSmall, unit, lines }: Drawing): string =>
  JSON.stringify([isSmall, unit, lines], (key, value: unknown) => (data.includes(key) ? undefined : value));
const data = ['steps', 'values', 'low', 'high'];

export function PlotArea(props: Drawing) {
  const { lines, lookedAt } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<{ of: UPlot; looks: string } | null>(null);
  const now = useRef(props);
  now.current = props;
  const isVisible = useSignal(false);
  const spoken = useSignal('');
  const looks = looksOf(props);
  const shownStep = props.isSmall === true ? crosshair.value : lookedAt?.value;
  const create = (): void => {
    plot.current?.of.destroy();
    if (place.current === null) return; // the chart was removed before its turn
    plot.current = { of: createPlot(place.current, () => now.current), looks: looksOf(now.current) };
  };
  useEffect(() => {
    const closing = new AbortController();
    const renew = (): void => {
      if (plot.current !== null) create();
    };
    for (const query of media) matchMedia(query).addEventListener('change', renew, closing);
    const { current: box } = place;
    const resized = new ResizeObserver(() => {
      isVisible.value = box!.clientWidth > 0;
      if (isVisible.value) plot.current?.of.setSize({ width: box!.clientWidth, height: box!.clientHeight });
    });
    resized.observe(box!);
    return () => {
      closing.abort();
      resized.disconnect();
      plot.current?.of.destroy();
      crosshair.value = null;
      if (group.plots.length === 0) zoom.value = null;
    };
  }, []);
  useEffect(() => {
    if (!isVisible.value) return;
    // One task per chart. All charts of a long run in one task would block the page.
    const turn = setTimeout(() => {
      if (plot.current?.looks === looks) plot.current.of.setData(dataOf(lines));
      else create();
    });
    return () => clearTimeout(turn);
  }, [isVisible.value, looks, lines, props.steps, props.range, props.marks, zoom.value, shownStep]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // with these the browser zooms the page
    if (event.key === '+') zoomIn(props.steps);
    if (event.key === '-') zoom.value = null;
    const { steps = [] } = lines.at(0) ?? {};
    const last = steps.length - 1;
    const from = crosshair.value ?? lookedAt?.value ?? null;
    const at = from === null ? last : steps.findLastIndex((step) => step <= from);
    const step = steps[Math.min(last, Math.max(0, keys[event.key]?.(at, last) ?? NaN))];
    if (step === undefined) return;
    event.preventDefault();
    pointAt(step);
    if (lookedAt !== undefined) lookedAt.value = step;
    spoken.value = `Step ${step}: ${toldAt(lines, step, props.format) || 'no value'}`;
  };
  return (
    <div
      class="canvas"
      tabIndex={0}
      role="group"
      aria-roledescription="chart"
      aria-label={props.label}
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
      <i />
    </div>
  );
}
