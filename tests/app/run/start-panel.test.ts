import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { StartPanel } from '../../../src/app/run/start-panel';
import { algorithms, type AlgorithmName } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { embeddedModels } from '../../../src/run/config/model-config';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument, textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
  vi.stubGlobal('MARBLE_MODELS', Object.fromEntries(embeddedModels.map((name) => [name, 1000])));
});

function panelOf(draft: RunConfig, library: object) {
  const places = { place: signal({ name: 'run' }) };
  const form = { draft: signal(draft), seat: signal(null), faults: signal(new Map()) };
  const asked = { planned: null, isOfClass: false, isOn: false, hidesEnding: false, isPrimary: true };
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

it('DAPO is told apart from GRPO by what its settings do', () => {
  const textOfStart = (name: AlgorithmName, changes: Partial<RunConfig['optimizer']> = {}): string => {
    const config = presets['ladder-12k'];
    const optimizer = { ...config.optimizer, ...changes };
    return textOf(panelOf({ ...config, algorithm: algorithms[name], optimizer }, { sets: signal([]) }));
  };
  const replaced = 'Prompts whose samples all earned the same are replaced by new ones.';
  const clipped =
    'The upper clip, 0.28, is wider than the lower, 0.2: likelihoods may rise further than they fall.';
  const told = (text: string) => [replaced, clipped].map((words) => text.includes(words));
  expect(told(textOfStart('grpo', { passes: 2 }))).toEqual([false, false]);
  expect(told(textOfStart('dapo'))).toEqual([true, false]);
  expect(told(textOfStart('dapo', { passes: 2 }))).toEqual([true, true]);
});
