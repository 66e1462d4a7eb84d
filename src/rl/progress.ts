/** Turns callbacks of a running promise into yields, so that a trainer that is a generator can pass them on. */

/**
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
