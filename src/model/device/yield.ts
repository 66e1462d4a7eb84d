/** Yields to the event loop, so that a worker receives messages and Node its signals. On wasm and cpu awaits resolve without yielding. */

/** Longest time in milliseconds between two yields of work that is worth stopping at any point. */
const BREATH_EVERY_MS = 50;
/** The same within a pass, where a yield only lets a stop be noticed. Browsers add 4 ms to a yield. */
const PASS_BREATH_EVERY_MS = 500;
let lastBreath = 0;

/** Yields to the event loop if the last yield was more than `milliseconds` ago. */
export async function yieldToMessages(milliseconds: number = BREATH_EVERY_MS): Promise<void> {
  const now = performance.now();
  if (now - lastBreath < milliseconds) return;
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  lastBreath = performance.now();
}

/** Call this between the blocks of a pass: those of a large model take minutes on a slow machine. */
export const yieldWithinPass = (): Promise<void> => yieldToMessages(PASS_BREATH_EVERY_MS);
