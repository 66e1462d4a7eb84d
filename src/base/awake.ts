const TICKS = 20;

/**
 * A timeout that no sleep of the computer counts towards.
 *
 * @param then - called once, after so many milliseconds awake
 * @returns ends the waiting
 */
export function afterAwake(milliseconds: number, then: () => void): () => void {
  let left = TICKS;
  // While the computer sleeps there are no ticks, and after it at most one at once.
  const timer = setInterval(() => {
    if ((left -= 1) > 0) return;
    clearInterval(timer);
    then();
  }, milliseconds / TICKS);
  return () => clearInterval(timer);
}
