/** Lets waiting messages in. On wasm and cpu every await resolves at once, so a pause would otherwise never arrive. */

const BREATH_EVERY_MS = 50;
let lastBreath = 0;

/** Yields to the event loop if the last time is a while ago; otherwise resolves at once. */
export async function yieldToMessages(): Promise<void> {
  const now = performance.now();
  if (now - lastBreath < BREATH_EVERY_MS) return;
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  lastBreath = performance.now();
}
