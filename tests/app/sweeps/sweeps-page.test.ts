import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { Comparison } from '../../../src/app/sweeps/comparison';
import { SweepsPage } from '../../../src/app/sweeps/sweeps-page';
import { createRunView } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import type { SweepAxes } from '../../../src/run/sweep/sweep';
import { drawn } from '../../fixtures/little-dom';
import { newRunRecord } from '../../../src/run/record/new-run';
import { wilson } from '../../../src/reward/accuracy';
import { evalReport } from '../../run/verdict/verdicts';
import { pageOf } from '../page-of';

/** Text of the page while the first of two runs trains, or after its last step. */
function textOf(axes: SweepAxes, step = 0, trainsHere = () => true): string {
  const base = presets['ladder-12k'];
  const parts = { step: 1, ends: 30, look: 10 };
  const view = createRunView('live', base, undefined, { id: 'one', backend: null, parts });
  if (step > 0) view.take({ type: 'step', record: { step } });
  const sweep = { id: 'sweep', base, axes, runs: ['one', null], backend: 'wasm', createdAt: 0 };
  const queue = { sweeps: signal([sweep]), running: signal('sweep'), refresh: () => Promise.resolve() };
  const trainers = signal([{ view: signal(view) }]);
  const page = pageOf(
    { trainers, trainsHere, runOf: () => undefined, activity: signal('running') },
    { queue },
  );
  return drawn(h(SweepsPage, page)).text();
}

it('a sweep tells the time of all its runs only if a run of each model has planned its own', () => {
  expect(textOf({ seed: [1, 2] }, 7)).toMatch(/Step 7 of 60\..* to go for all/);
  const embedded = (name: 'ladder-12k' | 'ladder-398k') => ({ kind: 'embedded', name }) as const;
  const models = textOf({ model: [embedded('ladder-12k'), embedded('ladder-398k')] });
  expect(models).toContain('Run 1 of 2');
  expect(models).not.toContain('to go for all');
  // A sweep that varies nothing is one run.
  expect(textOf({})).toContain('Compare The ladder: the small modelDelete');
});

it('a run of a sweep trains until its last evaluation has ended', () => {
  const evaluating = textOf({ seed: [1, 2] }, 60);
  expect(evaluating).toContain('Run 1 of 2');
  expect(evaluating).toContain('Step 60 of 60');
  expect(textOf({ seed: [1, 2] }, 60, () => false)).toContain('The next run begins.');
});

/** The page without a sweep. */
function emptyPage(session: object, sweepField: [name: string, text: string], preset: string) {
  const none = { sweeps: signal([]), running: signal(null), refresh: () => Promise.resolve() };
  return pageOf(
    { wish: signal('automatic'), mayReadModel: () => true, ...session },
    {
      queue: { ...none, atOnce: 1 },
      sweepFields: signal(new Map([sweepField])),
      ...{ faults: signal(new Map()), draft: signal(presets[preset]) },
    },
  );
}

it('a model that was ticked for other stories can be unticked', async () => {
  const plan = () => Promise.resolve(null);
  const page = emptyPage({ plan }, ['sweep.model', 'ladder-12k,ladder-25k'], 'hitom-mini');
  const shown = drawn(h(SweepsPage, page));
  for (const name of ['small', 'middle']) {
    const tick = shown.all('label').find(({ textContent }) => textContent.trim() === name)!;
    const [input] = tick.querySelectorAll('input');
    Object.assign(input, { checked: false }).dispatchEvent(new Event('change'));
    await new Promise((resolve) => setTimeout(resolve));
  }
  expect(page.sweepFields.value.size).toBe(0);
});

it('values out of range are reported while they are typed, and do not start', async () => {
  const page = emptyPage({ plan: () => Promise.resolve(null) }, ['sweep.seed', '1,2,3'], 'ladder-25k');
  const shown = drawn(h(SweepsPage, page));
  const field = shown.all('label').find(({ textContent }) => textContent.startsWith('Temperature'))!;
  const start = () => shown.all('button').find(({ textContent }) => textContent === 'Start the sweep')!;
  for (const [value, said, isRefused] of [
    ['0, 1', 'temperature.0 is 0; it must be a number from 0.01 to 10', true],
    ['0.6, 1', '6 runs: 2 arms of 3 seeds', false],
  ] as const) {
    Object.assign(field.querySelectorAll('input')[0], { value }).dispatchEvent(new Event('input'));
    await vi.waitUntil(() => shown.text().includes(said));
    expect(start().getAttribute('disabled') !== null).toBe(isRefused);
  }
});

it('a new sweep tells its time once no run trains any more', async () => {
  const activity = signal('running');
  const plan = () => Promise.resolve(activity.value === 'idle' ? { seconds: 60 } : null);
  const page = emptyPage({ activity, plan }, ['sweep.seed', '1,2'], 'ladder-12k');
  const shown = drawn(h(SweepsPage, page));
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown.text()).toContain('time not known yet');
  activity.value = 'idle';
  await vi.waitUntil(() => shown.text().includes('at most about 2 min'));
});

it('figures have their interval in points, no sign or interval where they did not change, and none if not measured', () => {
  const rows = [1, 2, 3].flatMap((seed) =>
    ['KL penalty 0', 'KL penalty 0.1'].map((arm, index) => {
      const config = { ...presets['ladder-12k'], seed };
      const record = { ...newRunRecord(config, '', {}), status: 'done' as const };
      const shortcutWrong = wilson(10 + 10 * seed * index, 100);
      const after = evalReport({ step: 60, shortcutWrong, traceValidity: null });
      const history = { record, steps: [], alerts: [], evals: [{ report: evalReport() }, { report: after }] };
      return { name: `${arm} ${seed}`, arm, config, history };
    }),
  );
  const shown = drawn(h(Comparison, { of: 'sweep', rows }));
  const text = shown.text();
  expect(text).toContain('KL penalty 0.1 less KL penalty 03±0+20.0 ± 24.8±0none±0'); // the 3 counts seeds
  expect(text).toContain('30 % ± 24.8');
  expect(text).not.toMatch(/[+−]0|±0 ±/);
});
