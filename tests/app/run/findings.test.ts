import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { Findings } from '../../../src/app/run/findings';
import { createRunView, viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

it('the recording has its slider after a run was closed at the tab of the runs', async () => {
  const config = presets['ladder-12k'];
  const record = newRunRecord(config, 'a run', {});
  const kept = viewOfKept('kept', { record, steps: [{ step: 1 }], evals: [], alerts: [], rolloutSteps: [] });
  const view = signal(kept);
  const places = { place: signal({ name: 'run' }) };
  const more = { lookedAt: signal(null), classroom: signal(null), queue: { sweeps: signal([]) }, places };
  const page = pageOf({ runOf: () => undefined }, more);
  const Shown = () => h(Findings, { ...page, view: view.value, isOfRun: view.value === kept });
  const shown = drawn(h(Shown, {}));
  const hasSlider = () => shown.all('div').some((part) => part.getAttribute('class') === 'scrubber row');
  const runs = shown.all('button').find(({ textContent }) => textContent === 'Runs')!;
  expect(hasSlider()).toBe(true);
  runs.dispatchEvent(new Event('click'));
  await vi.waitUntil(() => !hasSlider());
  view.value = createRunView('recording', config);
  await vi.waitUntil(hasSlider);
});
