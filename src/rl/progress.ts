/** How work in progress becomes events: shares of callbacks and generators, passed on with phase and step. */
import { MarbleError } from '../error';
import type { TrainerEvent, TrainerPhase } from '../run/events';
import type { PhaseTimes } from '../run/metrics';

export function progress(phase: TrainerPhase, step: number, fraction: number): TrainerEvent {
  return { type: 'progress', phase, step, fraction };
}

/** What `work` yields, changed; where nobody asks for more, `work` is ended too. */
export async function* mapped<From, To, T>(
  work: AsyncGenerator<From, T, void>,
  change: (part: From) => To,
): AsyncGenerator<To, T, void> {
  const ending: AsyncGenerator<From, unknown, void> = work;
  try {
    for (;;) {
      const part = await work.next();
      if (part.done === true) return part.value;
      yield change(part.value);
    }
  } finally {
    await ending.return(undefined);
  }
}

/** What `work` returns, for whoever needs no part of it. */
export async function whole<T>(work: AsyncGenerator<unknown, T, void>): Promise<T> {
  for (;;) {
    const part = await work.next();
    if (part.done === true) return part.value;
  }
}

/** The shares that `work` yields as progress events, and the time that it takes, without its pauses, added to the phase. */
export async function* timed<T>(
  phase: keyof PhaseTimes,
  step: number,
  times: PhaseTimes,
  work: AsyncGenerator<number, T, void>,
): AsyncGenerator<TrainerEvent, T, void> {
  const ending: AsyncGenerator<number, unknown, void> = work;
  try {
    for (;;) {
      const start = performance.now();
      const part = await work.next();
      times[phase] += performance.now() - start;
      if (part.done === true) return part.value;
      yield progress(phase, step, part.value);
    }
  } finally {
    await ending.return(undefined);
  }
}

/** A share that the work has told, and what it waits for. */
interface Report {
  fraction: number;
  goOn: () => void;
  end: (reason: MarbleError) => void;
}

/**
 * Turns callbacks of a running promise into yields. The work waits at each of them until it is asked for the next, so
 * whoever does not ask has paused it; whoever returns has ended it.
 *
 * @param work gets a function to report its share done with, between 0 and 1, and to wait for
 * @yields the shares reported
 * @returns what `work` returns
 */
export async function* reporting<T>(
  work: (report: (fraction: number) => Promise<void>) => Promise<T>,
): AsyncGenerator<number, T, void> {
  const held: { report: Report | null } = { report: null };
  let settled = false;
  let wake = (): void => undefined;
  const running = work(
    (fraction) =>
      new Promise((goOn, end) => {
        held.report = { fraction, goOn, end };
        wake();
      }),
  );
  const settle = (): void => {
    settled = true;
    wake();
  };
  // A failure is thrown by the return below; this only wakes the loop.
  running.then(settle, settle);
  try {
    for (;;) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (settled || held.report !== null) resolve();
      });
      if (held.report === null) return await running;
      const { fraction, goOn } = held.report;
      yield fraction;
      held.report = null;
      goOn();
    }
  } finally {
    if (held.report !== null) {
      held.report.end(new MarbleError('rl/ended', 'Nobody asked for more of this work.', 'Start it again.'));
      await running.catch(() => undefined); // until it has given back what it holds
    }
  }
}
