/**
 * Pauses long work, so that the page can draw and answer in between. The pauses follow from the amount of work and not from
 * a clock.
 *
 * @param most - units of work between two pauses
 * @returns a function that takes the units of work done since its last call, and pauses if they are many
 */
export function breather(most: number): (units: number) => Promise<void> {
  let left = most;
  return async (units) => {
    left -= units;
    if (left > 0) return;
    left = most;
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
}
