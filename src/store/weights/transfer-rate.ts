/** Transfer rate of a download over the last ten seconds. */

const window = 10_000;

/**
 * @param now clock in milliseconds
 * @returns a function that takes the number of newly arrived bytes and returns bytes per second; null until time has passed
 */
export function createTransferRate(
  now: () => number = () => performance.now(),
): (bytes: number) => number | null {
  let arrivals: { time: number; bytes: number }[] = [{ time: now(), bytes: 0 }];
  return (bytes) => {
    const time = now();
    arrivals.push({ time, bytes });
    const recent = arrivals.filter((arrival) => time - arrival.time <= window);
    // Keeps one arrival from before the window as its start: a slow connection delivers less than one piece per window.
    const first = arrivals.at(-recent.length - 1);
    arrivals = first === undefined ? recent : [first, ...recent];
    const seconds = (time - arrivals[0].time) / 1000;
    const total = arrivals.slice(1).reduce((sum, arrival) => sum + arrival.bytes, 0);
    return seconds > 0 ? total / seconds : null;
  };
}
