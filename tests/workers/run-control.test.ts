import { expect, it } from 'vitest';
import type { RunState } from '../../workers/protocol';
import { createRunControl, type RunControl } from '../../workers/run-control';

const none: readonly string[] = [];

/** A new run, and the states that it has sent. */
function newRun(): { control: RunControl; sent: RunState[] } {
  const sent: RunState[] = [];
  return { control: createRunControl((state) => void sent.push(state)), sent };
}

const acts: Record<string, (control: RunControl) => unknown> = {
  opens: (control) => control.opened('a', none),
  pause: (control) => control.pause(),
  step: (control) => control.step(),
  goOn: (control) => control.goOn(),
  stop: (control) => control.stop(),
  'is paused': (control) => void control.paused(),
  'has ended a step': (control) => control.stepEnded(),
  'loads the model': (control) => control.update({ stage: 'model' }),
  'is not kept': (control) => control.update({ unkept: ['a'] }),
  'is kept as before': (control) => control.update({ unkept: none }),
};

// A command is always answered, since the page shows what it expects until then.
it.each([
  ['opens, pause, is paused, goOn', 'running pausing paused running'],
  ['opens, pause, is paused, step, has ended a step, is paused', 'running pausing paused pausing paused'],
  ['opens, pause, is paused, step, is paused', 'running pausing paused pausing'],
  ['opens, pause, is paused, pause', 'running pausing paused paused'],
  ['opens, pause, step, is paused', 'running pausing pausing'],
  ['opens, pause, goOn, is paused', 'running pausing running'],
  ['opens, stop, pause, goOn', 'running stopping stopping stopping'],
  ['opens, is kept as before, is not kept', 'running running'],
  ['pause, loads the model, goOn, pause, opens', 'pausing pausing opening pausing pausing'],
])('a run that gets or does this: %s, sends its states', (given, expected) => {
  const { control, sent } = newRun();
  for (const name of given.split(', ')) acts[name](control);
  expect(sent.map(({ is }) => is).join(' ')).toBe(`opening ${expected}`);
  expect(sent.at(-1)!.id).toBe('a');
});

it.each(['goOn', 'step', 'stop'])(
  'a pause ends at a %s, also if that came while it was stored',
  async (name) => {
    for (const isStored of [true, false]) {
      const { control } = newRun();
      control.pause();
      const pausing = isStored ? control.paused() : null;
      acts[name](control);
      await (pausing ?? control.paused());
      expect([control.signal.aborted, control.checkpointWanted()]).toEqual(
        name === 'stop' ? [true, true] : [false, false],
      );
      control.stepEnded();
      expect([control.mustPause(), control.checkpointWanted()]).toEqual([name === 'step', name !== 'goOn']);
    }
  },
);
