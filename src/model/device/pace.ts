/**
 * Controls how many steps are submitted to a device before the decoder waits for it. Pausing and stopping take effect only at a
 * wait, so the decoder waits often for a slow device. On a fast device waits are expensive and rare.
 */

/** Target duration of a wait. Pausing and stopping should take effect within a second. */
const WAIT_MS = 250;

/**
 * @param most limit on the steps between two waits
 * @param waitMs duration of a wait for an idle device, which is subtracted from measurements
 * @param now monotonic clock in milliseconds
 */
export function createPace(most: number, waitMs = 0, now: () => number = () => performance.now()) {
  let allowed = 1;
  let sent = 0;
  let since = now();
  return {
    /** Counts a submitted step. Returns true if it is time to wait for the device. */
    step(): boolean {
      sent += 1;
      return sent >= allowed;
    },
    /** Must be called after a wait. */
    waited(): void {
      const perStep = Math.max(0.01, now() - since - waitMs) / Math.max(1, sent);
      allowed = Math.max(1, Math.min(most, 2 * allowed, Math.floor(WAIT_MS / perStep)));
      sent = 0;
      since = now();
    },
  };
}
