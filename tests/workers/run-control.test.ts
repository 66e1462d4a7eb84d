import { describe, expect, it } from 'vitest';
import { createRunControl, type RunControl } from '../../workers/run-control';

/** True if a paused run continues within 20 ms. */
async function isReleased(control: RunControl): Promise<boolean> {
  const waiting = new Promise<false>((resolve) => setTimeout(() => resolve(false), 20));
  return Promise.race([control.released().then(() => true as const), waiting]);
}

describe('a run that stands still', () => {
  it('waits until it is let go', async () => {
    const control = createRunControl();
    control.pause();
    expect(await isReleased(control)).toBe(false);
    const released = control.released();
    control.goOn();
    await released;
  });

  it.each(['goOn', 'step', 'stop'] as const)(
    'does not wait for a %s that came while its pause was written down',
    async (order) => {
      const control = createRunControl();
      control.pause();
      expect(control.standsStill()).toBe(true);
      control[order]();
      expect(await isReleased(control)).toBe(true);
    },
  );
});
