import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Faults } from '../../../src/app/page/form-store';
import { StartPanel } from '../../../src/app/run/start-panel';
import type { RunConfig } from '../../../src/run/config/config';
import { embeddedModels } from '../../../src/run/config/model-config';
import { presets } from '../../../src/run/config/presets';
import { drawn, textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(() => {
  vi.stubGlobal('MARBLE_MODELS', Object.fromEntries(embeddedModels.map((name) => [name, 1000])));
});

function panelOf(draft: RunConfig, library: object, faults: Faults = new Map()) {
  const places = { place: signal({ name: 'run' }) };
  const none = signal(null);
  const form = { draft: signal(draft), classroom: none, seat: none, faults: signal(faults) };
  const asked = { planned: null, isOn: false, isPrimary: true };
  return h(StartPanel, { ...pageOf({}, { ...form, library, places }), ...asked, train: null });
}

it('the kept data sets are tasks to choose, also before their page was opened', async () => {
  const sets = signal<object[] | null>(null);
  const refresh = () => Promise.resolve(void (sets.value = [{ id: 'own-0123456789abcdef', name: 'mine' }]));
  const shown = drawn(panelOf(presets['ladder-12k'], { sets, refresh }));
  const options = () => shown.all('option').map(({ textContent }) => textContent);
  expect(options()).not.toContain('mine');
  await vi.waitUntil(() => options().includes('mine'));
});

it('nothing is said of the model before, while another is yet to be chosen', () => {
  const { 'first-run-0.5b': draft } = presets;
  const library = { sets: signal([]) };
  const awaited: Faults = new Map([['model.files', { message: 'Choose the folder.' }]]);
  expect(textOf(panelOf(draft, library))).toContain('after you agree');
  expect(textOf(panelOf(draft, library, awaited))).not.toContain('after you agree');
});
