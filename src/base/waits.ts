/** Timeouts that exclude sleep of the computer, and yields to the event loop. */

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

// Yields to the event loop, so that a worker receives messages and Node its signals. On wasm awaits resolve without one.

/** Longest time in milliseconds between two yields of work that is worth stopping at any point. */
const BREATH_EVERY_MS = 50;
/** The same within a pass, where a yield only lets a stop be noticed. Browsers add 4 ms to a yield. */
const PASS_BREATH_EVERY_MS = 500;
let lastBreath = 0;

/** Yields to the event loop if the last yield was more than `milliseconds` ago. */
export async function yieldToMessages(milliseconds: number = BREATH_EVERY_MS): Promise<void> {
  const since = performance.now() - lastBreath;
  if (since >= 0 && since < milliseconds) return; // negative if the clock was set back
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  lastBreath = performance.now();
}

/** Call this between the blocks of a pass: those of a large model take minutes on a slow machine. */
export const yieldWithinPass = (): Promise<void> => yieldToMessages(PASS_BREATH_EVERY_MS);
