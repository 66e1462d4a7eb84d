/** A worker's events at the pace at which the page can draw them: a small model takes steps faster than that. */
import type { WorkerEvent } from '../../../workers/protocol';

/** Events of which a step has several, and which may be shown a moment later, with those that came meanwhile. */
const figures: ReadonlySet<WorkerEvent['type']> = new Set(['progress', 'step', 'rollouts', 'eval', 'kept']);

/** Milliseconds after which a page that draws nothing, as a hidden one, counts as drawn. */
const HIDDEN = 500;

/** Resolves once the browser has drawn what stands now, charts too: they follow a frame behind the words. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, HIDDEN);
    const afterFrame = (next: () => void): void => void requestAnimationFrame(next);
    afterFrame(() =>
      afterFrame(() => {
        clearTimeout(timer);
        setTimeout(resolve);
      }),
    );
  });
}

/** How much longer than it draws the page leaves to the training: on few cores, drawing is time that training lacks. */
const REST = 3;

/** Milliseconds from one drawing to the next at least: four a second tell all that figures tell. */
const LEAST = 250;

/**
 * Hands on the first event at once. Those that follow it wait while the page draws, and `REST` times as long again, so that
 * drawing has a quarter of the time at most, and `LEAST` in any case; then they are handed on together. An event that is no
 * figure waits for nothing, and takes those before it along. The order stays.
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
