/** How many runs of a sweep this computer's CPU makes at once. */

/** Half of what the page may think to have: a worker with its tensors and the code of its backend. */
const WORKER_BYTES = 300e6;
/** Where the browser does not say, in GB. */
const COMMON_MEMORY = 4;

interface Computer {
  hardwareConcurrency?: number;
  /** GB; not all browsers say. */
  deviceMemory?: number;
}

/** The most that may be chosen: one for each hardware thread, as far as half of the memory goes. */
export function mostAtOnce({ hardwareConcurrency = 2, deviceMemory = COMMON_MEMORY }: Computer): number {
  const byMemory = Math.floor((deviceMemory * 1e9) / 2 / WORKER_BYTES);
  return Math.max(1, Math.min(hardwareConcurrency, byMemory));
}

/** What is taken unless the visitor says otherwise: one for each two hardware threads, which often share a core. */
export function usualAtOnce(computer: Computer): number {
  const { hardwareConcurrency = 2 } = computer;
  return Math.max(1, Math.min(Math.floor(hardwareConcurrency / 2), mostAtOnce(computer)));
}
