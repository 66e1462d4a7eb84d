/**
 * How much of a device's work is sent off before it is waited for. A pause or a stop is answered between two waits, so
 * a slow device is waited for often; on a fast one a wait costs more than it gives and is seldom.
 */

/** What a wait should last: a pause or a stop is asked to be answered within a second. */
const WAIT_MS = 250;

export interface Pace {
  /** Counts a step that was sent off; whether the device is to be waited for now. */
  step(): boolean;
  /** The device has caught up. */
  waited(): void;
}

/**
 * @param most steps between two waits, at most
 * @param waitMs what a wait takes where nothing runs, which says nothing of the device
 * @param now milliseconds of a clock that never goes back
 */
export function createPace(most: number, waitMs = 0, now: () => number = () => performance.now()): Pace {
  let allowed = 1;
  let sent = 0;
  let since = now();
  return {
    step() {
      sent += 1;
      return sent >= allowed;
    },
    waited() {
      const perStep = Math.max(0.01, now() - since - waitMs) / Math.max(1, sent);
      allowed = Math.max(1, Math.min(most, 2 * allowed, Math.floor(WAIT_MS / perStep)));
      sent = 0;
      since = now();
    },
  };
}
