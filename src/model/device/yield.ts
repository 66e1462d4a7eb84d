/** Yields to the event loop, so that a worker receives messages. On wasm and cpu awaits resolve without yielding. */

const BREATH_EVERY_MS = 50;
let lastBreath = 0;

/** Yields to the event loop if the last yield was more than `BREATH_EVERY_MS` ago. */
export async function yieldToMessages(): Promise<void> {
  const now = performance.now();
  if (now - lastBreath < BREATH_EVERY_MS) return;
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  lastBreath = performance.now();
}
