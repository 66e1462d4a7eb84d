/** Delivers a worker's events at the pace of rendering, since a small model takes steps faster than the page can render. */
import type { WorkerEvent } from '../../../workers/protocol';

/** Frequent events, which may be delayed and delivered together. */
const figures: ReadonlySet<WorkerEvent['type']> = new Set(['progress', 'step', 'rollouts', 'eval', 'kept']);

/** Timeout in milliseconds for a page that does not render, such as a hidden one. */
const HIDDEN = 500;

/** Resolves once the browser has rendered the current state. The charts follow one frame after the words. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, HIDDEN);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(timer);
        setTimeout(resolve);
      }),
    );
  });
}

/** Ratio of the pause to the rendering time. On few cores, rendering takes time from training. */
const REST = 3;

/** Minimum milliseconds between two renderings. Four a second are enough for figures. */
const LEAST = 250;

/**
 * Delivers the first event at once. Figures that follow wait until the page has rendered, and then `REST` times as long
 * again, with a total of at least `LEAST`. They are then delivered together. Rendering thus takes at most a quarter of the
 * time. Any other event is delivered at once, together with the events that wait. The order is preserved.
 */
export function paced(
  take: (events: readonly WorkerEvent[]) => void,
  untilDrawn: () => Promise<void>,
): (event: WorkerEvent) => void {
  let waiting: WorkerEvent[] = [];
  let isDrawing = false;

  function handOn(): void {
    const events = waiting;
    waiting = [];
    take(events);
  }

  async function draw(): Promise<void> {
    isDrawing = true;
    const begun = performance.now();
    await untilDrawn();
    const took = performance.now() - begun;
    await new Promise((resolve) => setTimeout(resolve, Math.max(REST * took, LEAST - took)));
    isDrawing = false;
    if (waiting.length === 0) return;
    handOn();
    void draw();
  }

  return (event) => {
    waiting.push(event);
    if (isDrawing && figures.has(event.type)) return;
    handOn();
    if (!isDrawing) void draw();
  };
}
