import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { DataPage } from '../../../src/app/data/data-page';
import { ImportPanel } from '../../../src/app/data/import-panel';
import { importedSource } from '../../../src/run/config/imported';
import type { DatasetLibrary } from '../../../src/app/page/dataset-library';
import { fillForm } from '../../../src/app/page/page';
import type { Place } from '../../../src/app/page/place';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import type { DatasetRecord } from '../../../src/store/records';
import { drawn } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';
import { settled } from '../session/fake-worker';

const set: DatasetRecord = {
  ...{ id: 'mine-0123456789abcdef', name: 'mine', dataset: 'own', licence: 'your own' },
  ...{ count: 60, stories: 60, orders: [1], bytes: 9000, createdAt: 0 },
};

it('a set leads to the settings that train on it, and one that this browser lacks can be left out', () => {
  const { evaluation, ...rest } = presets['ladder-12k'];
  const gone = 'gone-0123456789abcdef';
  const draft = signal<RunConfig>({ ...rest, evaluation: { ...evaluation, imported: [gone, set.id] } });
  const library = { sets: signal([set]), refresh: () => Promise.resolve() } as unknown as DatasetLibrary;
  const go = vi.fn<(place: Place) => void>();
  const page = pageOf({}, { draft, library, faults: signal(new Map()), places: { go } });
  const shown = drawn(h(DataPage, page));
  const press = (words: string): void => {
    const buttons = shown.all('button').filter(({ textContent }) => textContent.startsWith(words));
    expect(buttons).toHaveLength(1);
    buttons[0].dispatchEvent(new Event('click'));
  };
  press(`Do without it: ${gone}`);
  expect(draft.value.evaluation.imported).toEqual([set.id]);
  press('Train on it: mine');
  const source = importedSource(set.id);
  expect(draft.value).toMatchObject({ model: rest.model, data: { source, orders: set.orders } });
  expect(go.mock.calls).toEqual([[{ name: 'run', tab: 'train' }]]);
});

it('filled settings are shown in the form, with the focus on its button unless a run is on', () => {
  const go = vi.fn<(place: Place) => void>();
  const open = {};
  const session = { shown: signal<object | null>(open), activity: signal('running') };
  const page = pageOf(session, { faults: signal(new Map([['steps', { message: 'bad' }]])), places: { go } });
  fillForm(page, presets['first-run-135m'], 'train');
  expect(page.session.shown.value).toBe(open);
  session.activity.value = 'idle';
  fillForm(page, presets['first-run-135m'], 'train');
  expect(go.mock.calls).toEqual([[{ name: 'run' }], [{ name: 'run', tab: 'train' }]]);
  expect(page.session.shown.value).toBeNull();
  expect(page.draft.value).toBe(presets['first-run-135m']);
  expect(page.faults.value.size).toBe(0);
});

/** The panel of imports, and a drop of files of these names on it. */
function dropped(library: Partial<DatasetLibrary>, ...names: string[]) {
  const shown = drawn(h(ImportPanel, { library: library as DatasetLibrary }));
  const files = names.map((name) => new File(['x'], name));
  const [area] = shown.all('div');
  area.dispatchEvent(Object.assign(new Event('drop'), { dataTransfer: { files } }));
  return shown;
}

it('an import that does not end is described and can be cancelled, and its later result is dropped', async () => {
  let fail!: (reason: Error) => void;
  const cancel = vi.fn();
  const preview = () => new Promise<never>((_, reject) => (fail = reject));
  const shown = dropped({ preview, cancel }, 'slow.json');
  await settled();
  expect(shown.text()).toContain('Reading slow.json …');
  const button = shown.all('button').find(({ textContent }) => textContent === 'Cancel')!;
  button.dispatchEvent(new Event('click'));
  fail(new Error('closed'));
  await settled();
  expect(cancel).toHaveBeenCalledOnce();
  expect(shown.text()).not.toMatch(/slow\.json|Not imported/);
});
