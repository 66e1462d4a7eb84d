/** How work in progress becomes events: shares of callbacks and generators, passed on with phase and step. */
import type { TrainerEvent, TrainerPhase } from './events';
import type { PhaseTimes } from './metrics';

export function progress(phase: TrainerPhase, step: number, fraction: number): TrainerEvent {
  return { type: 'progress', phase, step, fraction };
}

/** Yields the shares that `work` yields as progress events. */
export async function* forwarded<T>(
  phase: TrainerPhase,
  step: number,
  work: AsyncGenerator<number, T, void>,
): AsyncGenerator<TrainerEvent, T, void> {
  let part = await work.next();
  while (part.done !== true) {
    yield progress(phase, step, part.value);
    part = await work.next();
  }
  return part.value;
}

/** The same, with the time that the work takes, and not its pauses, added to the phase. */
export async function* timed<T>(
  phase: keyof PhaseTimes,
  step: number,
  times: PhaseTimes,
  work: AsyncGenerator<number, T, void>,
): AsyncGenerator<TrainerEvent, T, void> {
  yield progress(phase, step, 0);
  for (;;) {
    const start = performance.now();
    const part = await work.next();
    times[phase] += performance.now() - start;
    if (part.done === true) return part.value;
    yield progress(phase, step, part.value);
  }
}

/**
 * Turns callbacks of a running promise into yields.
 *
 * @param work gets a function to report its share done with, between 0 and 1
 * @yields the latest share reported; shares that nobody asked for in time are skipped
 * @returns what `work` returns
 */
export async function* reporting<T>(
  work: (report: (fraction: number) => void) => Promise<T>,
): AsyncGenerator<number, T, void> {
  const latest: number[] = [];
  let settled = false;
  let wake = (): void => undefined;
  const running = work((fraction) => {
    latest[0] = fraction;
    wake();
  });
  const end = (): void => {
    settled = true;
    wake();
  };
  // A failure is thrown by the return below; this only wakes the loop.
  running.then(end, end);
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (settled || latest.length > 0) resolve();
    });
    const fraction = latest.pop();
    if (fraction !== undefined) yield fraction;
    if (settled) return running;
  }
}
