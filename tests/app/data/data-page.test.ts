import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { DataPage } from '../../../src/app/data/data-page';
import { importedSource } from '../../../src/run/config/imported';
import type { DatasetLibrary } from '../../../src/app/page/dataset-library';
import { fillForm } from '../../../src/app/page/page';
import type { Place } from '../../../src/app/page/place';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import type { DatasetRecord } from '../../../src/store/records';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

const set: DatasetRecord = {
  ...{ id: 'mine-0123456789abcdef', name: 'mine', dataset: 'own', licence: 'your own' },
  ...{ count: 60, stories: 60, orders: [1], bytes: 9000, createdAt: 0 },
};

/** Presses “Train on it”. @returns the settings that it leads to */
function trainedOn(config: RunConfig): RunConfig {
  const refresh = () => Promise.resolve();
  const library = { sets: signal([set]), refresh };
  const onTrain = vi.fn<(config: RunConfig) => void>();
  const data = { draft: signal(config), tell: () => undefined, onTrain };
  const shown = drawn(h(DataPage, { ...data, library: library as unknown as DatasetLibrary }));
  const button = shown.all('button').find(({ textContent }) => textContent.startsWith('Train on it'))!;
  button.dispatchEvent(new Event('click'));
  return onTrain.mock.calls[0][0];
}

it('“Train on it” leads to the settings that train on the set', () => {
  const toy = presets['ladder-12k'];
  const source = importedSource(set.id);
  expect(trainedOn(toy)).toMatchObject({ model: toy.model, data: { source } });
});

it('a set to evaluate on that this browser lacks can be left out', () => {
  const { evaluation, ...rest } = presets['ladder-12k'];
  const gone = 'gone-0123456789abcdef';
  const draft = signal<RunConfig>({ ...rest, evaluation: { ...evaluation, imported: [gone, set.id] } });
  const library = { sets: signal([set]), refresh: () => Promise.resolve() } as unknown as DatasetLibrary;
  const data = { draft, library, tell: () => undefined, onTrain: () => undefined };
  const buttons = drawn(h(DataPage, data))
    .all('button')
    .filter(({ textContent }) => textContent.startsWith('Do without it'));
  expect(buttons.map(({ textContent }) => textContent)).toEqual([`Do without it: ${gone}`]);
  buttons[0].dispatchEvent(new Event('click'));
  expect(draft.value.evaluation.imported).toEqual([set.id]);
});

it('filled settings are shown in the form, with the focus on its button unless a run is on', () => {
  const go = vi.fn<(place: Place) => void>();
  const open = {};
  const session = { shown: signal<object | null>(open), activity: signal('running') };
  const page = pageOf(session, { faults: signal(new Map([['steps', 'bad']])), places: { go } });
  fillForm(page, presets['first-run-135m'], 'train');
  expect(page.session.shown.value).toBe(open);
  session.activity.value = 'idle';
  fillForm(page, presets['first-run-135m'], 'train');
  expect(go.mock.calls).toEqual([[{ name: 'run' }], [{ name: 'run', tab: 'train' }]]);
  expect(page.session.shown.value).toBeNull();
  expect(page.draft.value).toBe(presets['first-run-135m']);
  expect(page.faults.value.size).toBe(0);
});
