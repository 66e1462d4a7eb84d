import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it } from 'vitest';
import { RunPanel } from '../../../src/app/run/run-panel';
import { createRunView, type RunView } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

function panelText(view: RunView, session: object, form: object = {}): string {
  const idle = { runOf: () => undefined, download: signal(null) };
  const page = pageOf({ ...idle, ...session }, { ...form, ofClass: signal(null), faults: signal(new Map()) });
  return textOf(h(RunPanel, { ...page, view, memory: 2e6 }));
}

it('the panel of a run in preparation names what is being opened, and shows a stop immediately', () => {
  const view = createRunView('live', presets['ladder-12k']);
  const stage = signal('Loading the model');
  const told = (activity: string) => panelText(view, { stage, activity: signal(activity) });
  for (const activity of ['opening', 'running'])
    expect(told(activity)).toMatch(/^(Loading the model){2}Stop$/);
  expect(told('stopping')).toBe('StoppingStoppingStop'); // the second one is for screen readers
});

it('a run that has ended while others train is shown as ended, without time left and phase', () => {
  const config = presets['ladder-12k'];
  const parts = { step: 1, ends: 30, look: 10 };
  const view = createRunView('live', config, undefined, { id: 'a', backend: null, parts });
  view.take({ type: 'step', record: { step: config.steps } });
  view.take({ type: 'progress', phase: 'evaluate', step: config.steps, fraction: 1 });
  const told = (trainsHere: boolean): string =>
    panelText(view, { activity: signal('running'), trainsHere: () => trainsHere });
  expect(told(true)).toMatch(/Step 60 of 60, about .* left.* 2 MB of memory.*asking test questions/);
  expect(told(false)).toContain('Finished: 60 steps; another run trains');
  expect(told(false)).not.toMatch(/left|memory|asking/);
});
