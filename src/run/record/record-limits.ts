/** Limits on the records of a whole run, which writers and readers share. */

/** In characters, on names and ids. */
export const MOST_NAME = 1000;
/** In characters of JSON, on the steps, evaluations and alerts, which are in memory together. */
export const MOST_HISTORY = 512 * 2 ** 20;
/** In characters of JSON, on the rollouts of one step, which a browser stores as one value. */
export const MOST_STEP = 256 * 2 ** 20;
