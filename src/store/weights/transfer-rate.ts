/** Bytes a second and time left, from what arrived in the last seconds: a download's rate is never one number. */

const window = 10_000;

/**
 * @param now - milliseconds; another clock in tests
 * @returns to be told of bytes that have arrived: bytes per second over the window, null before there is anything to go by
 */
export function createTransferRate(
  now: () => number = () => performance.now(),
): (bytes: number) => number | null {
  let arrivals: { time: number; bytes: number }[] = [{ time: now(), bytes: 0 }];
  return (bytes) => {
    const time = now();
    arrivals.push({ time, bytes });
    const recent = arrivals.filter((arrival) => time - arrival.time <= window);
    // One from before the window stays as its beginning: a slow connection brings less than one piece in it.
    const first = arrivals.at(-recent.length - 1);
    arrivals = first === undefined ? recent : [first, ...recent];
    const seconds = (time - arrivals[0].time) / 1000;
    const total = arrivals.slice(1).reduce((sum, arrival) => sum + arrival.bytes, 0);
    return seconds > 0 ? total / seconds : null;
  };
}
