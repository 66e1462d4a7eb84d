import { describe, expect, it } from 'vitest';
import type { RunState } from '../../workers/protocol';
import { createRunControl, type RunControl } from '../../workers/run-control';

const none: readonly string[] = [];

/** An open run, and the states that it has sent since. */
function openRun(): { control: RunControl; sent: RunState['is'][] } {
  const sent: RunState['is'][] = [];
  const control = createRunControl(({ is }) => void sent.push(is));
  control.opened('a', none);
  sent.length = 0;
  return { control, sent };
}

/** True if a paused run continues within 20 ms. */
async function isReleased(control: RunControl): Promise<boolean> {
  const waiting = new Promise<false>((resolve) => setTimeout(() => resolve(false), 20));
  return Promise.race([control.paused().then(() => true as const), waiting]);
}

describe('a paused run', () => {
  it('waits until it continues', async () => {
    const { control, sent } = openRun();
    control.pause();
    const released = control.paused();
    expect(control.state.is).toBe('paused');
    control.goOn();
    await released;
    expect(sent).toEqual(['pausing', 'paused', 'running']);
  });

  it.each(['goOn', 'step', 'stop'] as const)(
    'does not wait for a %s that came while its pause was stored',
    async (command) => {
      const { control } = openRun();
      control.pause();
      expect(control.mustPause()).toBe(true);
      control[command]();
      expect(await isReleased(control)).toBe(true);
    },
  );

  it('takes one step, and then pauses again', async () => {
    const { control } = openRun();
    control.pause();
    void control.paused();
    control.step();
    expect([control.state.is, control.mustPause(), control.checkpointWanted()]).toEqual([
      'pausing',
      false,
      false,
    ]);
    control.stepEnded();
    expect([control.mustPause(), control.checkpointWanted()]).toEqual([true, true]);
    expect(await isReleased(control)).toBe(false);
  });

  it('answers a second pause with its state: the page shows what it expects until then', () => {
    const { control, sent } = openRun();
    control.pause();
    void control.paused();
    control.pause();
    expect(sent).toEqual(['pausing', 'paused', 'paused']);
  });
});

it('a run that is stopped obeys no later command', () => {
  const { control, sent } = openRun();
  control.stop();
  control.pause();
  control.goOn();
  expect([control.signal.aborted, control.checkpointWanted()]).toEqual([true, true]);
  expect(sent).toEqual(['stopping', 'stopping', 'stopping']);
});

it('a run that opens keeps its commands: a pause holds, and one that is taken back leaves it opening', () => {
  const sent: RunState[] = [];
  const control = createRunControl((state) => void sent.push(state));
  control.pause();
  control.update({ stage: 'model' });
  control.goOn();
  control.pause();
  control.opened('a', none);
  const states = ['opening', 'pausing', 'pausing', 'opening', 'pausing', 'pausing'];
  expect(sent.map(({ is }) => is)).toEqual(states);
  expect(sent.map(({ id }) => id)).toEqual([null, null, null, null, null, 'a']);
});

it('facts that have not changed are not sent', () => {
  const { control, sent } = openRun();
  control.update({ unkept: none });
  control.update({ unkept: ['a'] });
  expect(sent).toEqual(['running']);
});
