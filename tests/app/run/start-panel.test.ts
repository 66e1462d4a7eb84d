import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { StartPanel } from '../../../src/app/run/start-panel';
import { embeddedModels } from '../../../src/run/config/model-config';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

it('the kept data sets are tasks to choose, also before their page was opened', async () => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
  vi.stubGlobal('MARBLE_MODELS', Object.fromEntries(embeddedModels.map((name) => [name, 1000])));
  const sets = signal<object[] | null>(null);
  const refresh = () => Promise.resolve(void (sets.value = [{ id: 'own-0123456789abcdef', name: 'mine' }]));
  const place = { place: signal({ name: 'run' }) };
  const more = { library: { sets, refresh }, places: place, seat: signal(null), faults: signal(new Map()) };
  const page = pageOf({}, { ...more, draft: signal(presets['ladder-12k']) });
  const asked = { planned: null, isOfClass: false, isOn: false, hidesEnding: false, isPrimary: true };
  const shown = drawn(h(StartPanel, { ...page, ...asked, train: null }));
  const options = () => shown.all('option').map(({ textContent }) => textContent);
  expect(options()).not.toContain('mine');
  await vi.waitUntil(() => options().includes('mine'));
});
