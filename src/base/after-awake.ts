const TICKS = 20;

/**
 * Starts a timeout that excludes the time during which the computer sleeps.
 *
 * @param then is called once, after `milliseconds` awake
 * @returns a function that cancels the timeout
 */
export function afterAwake(milliseconds: number, then: () => void): () => void {
  let left = TICKS;
  // An interval does not fire during sleep, and at most once on wake-up.
  const timer = setInterval(() => {
    if ((left -= 1) > 0) return;
    clearInterval(timer);
    then();
  }, milliseconds / TICKS);
  return () => clearInterval(timer);
}
