/** A bad record in the storage or in the page breaks nothing else. It is listed and can be deleted. */
import { signal } from '@preact/signals';
import { h } from 'preact';
import { describe, expect, it } from 'vitest';
import { DataPage } from '../../src/app/data/data-page';
import { notRead, Runs } from '../../src/app/runs/runs-screen';
import { SweepsPage } from '../../src/app/sweeps/sweeps-page';
import { Guard } from '../../src/app/ui/guard';
import { useFound } from '../../src/app/ui/use-found';
import { createDatasetStore } from '../../src/store/datasets';
import { createRunStore } from '../../src/store/runs';
import { createSweepStore } from '../../src/store/store';
import { drawn } from '../fixtures/little-dom';
import { pageOf } from './page-of';
import { createMemoryStore, type Entry } from '../store/memory-store';
import { run } from '../share/run-content';
import { fakeWorld } from './session/fake-worker';
import { newRunRecord } from '../../src/run/record/new-run';

const poison: unknown[] = [null, 'text', 5, {}, { id: 7, createdAt: 9e15 }, { createdAt: Number.NaN, config: null, base: null, axes: 3, runs: 'x', orders: 1, machine: { backend: null } }]; // prettier-ignore

it.each(poison)(
  'the storage lists and deletes %j in the place of a run, a sweep, a data set or a checkpoint',
  async (value) => {
    const kinds = ['checkpoint', 'dataset', 'items', 'run', 'step', 'sweep', 'weights'];
    const entries = kinds.map((kind): Entry => [kind === 'step' ? [kind, 'a', 0, 0] : kind === 'checkpoint' || kind === 'weights' ? [kind, 'a', 'odd'] : [kind, 'a'], value]); // prettier-ignore
    const memory = createMemoryStore(entries);
    const [runs, sweeps, sets] = [createRunStore(memory.use), createSweepStore(memory.use), createDatasetStore(memory.use)]; // prettier-ignore
    const fresh = await runs.createRun(newRunRecord(run.history.record.config, 'fresh', {}));
    expect((await runs.listRuns()).map(({ id }) => id).sort()).toEqual(['a', fresh.id].sort());
    expect((await sweeps.listSweeps()).map(({ id }) => id)).toEqual(['a']);
    expect((await sets.listDatasets()).map(({ id }) => id)).toEqual(['a']);
    await Promise.all([runs.deleteRun('a'), runs.deleteRun(fresh.id), sweeps.deleteSweep('a'), sets.deleteDataset('a')]); // prettier-ignore
    expect(memory.entries()).toEqual([]);
  },
);

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('the page', () => {
  it('shows the error of a search', async () => {
    const Searching = () =>
      h(
        'p',
        {},
        useFound(() => Promise.reject(new Error('no such step')), []),
      );
    const page = drawn(h(Guard, { children: h(Searching, {}) }));
    await expect.poll(page.text).toContain('This part cannot be shown: Error: no such step');
  });

  it('shows the rest of a list if one record breaks, offers to save and to delete it, and shows the next one', async () => {
    const acts: string[] = [];
    const name = signal('run 1');
    const Breaks = () => {
      if (name.value === 'run 1') throw new Error('no date');
      return 'read';
    };
    const Place = () => {
      const of = { name: name.value, save: () => acts.push('saved'), remove: () => acts.push('removed') };
      return h(Guard, { of, children: h(Breaks, {}) });
    };
    const shown = drawn([h(Place, {}), h('p', {}, 'stands')]);
    await settled();
    expect(shown.text()).toContain('A part of run 1 cannot be shown: Error: no date');
    expect(shown.text()).toContain('stands');
    const press = async (words: string): Promise<void> => {
      const button = shown.all('button').find(({ textContent }) => textContent.startsWith(words))!;
      button.dispatchEvent(new Event('click'));
      await settled();
    };
    await press('Save as a file');
    await press('Delete');
    expect(acts).toEqual(['saved']);
    await press('Delete for good');
    expect(acts).toEqual(['saved', 'removed']);
    name.value = 'run 2';
    await expect.poll(shown.text).toBe('readstands');
  });

  it.each(poison)('keeps %j of the storage out of the runs, and lists it by its id', async (value) => {
    const record = { ...(value as object | null), id: 'deadbeef-1' };
    const { session } = fakeWorld({ listRuns: () => [run.history.record, record] });
    await session.refreshRuns();
    expect(session.runs.value).toEqual([run.history.record]);
    expect(session.unread.value).toEqual(['deadbeef-1']);
    const page = pageOf({ runs: session.runs, unread: session.unread });
    const shown = drawn(h(Runs, page));
    expect(shown.text()).toContain(`run deadbeef cannot be shown: ${notRead.message}`);
    expect(notRead.code).toBe('app/unread-run');
    expect(shown.all('li')).toHaveLength(2);
  });

  it.each(poison)('lists a sweep and a data set that are %j', async (value) => {
    const bad = { ...(value as object | null), id: 'deadbeef-1' };
    const queue = { sweeps: signal([bad]), running: signal('none'), refresh: () => undefined, remove: () => undefined, atOnce: 1 }; // prettier-ignore
    const done = () => Promise.resolve();
    const library = { sets: signal([bad]), refresh: done, remove: done };
    const page = pageOf({}, { queue, library, faults: signal(new Map()), sweepFields: signal(new Map()) }); // prettier-ignore
    const data = drawn(h(DataPage, page));
    await settled();
    expect(data.text()).toContain('Data sets kept in this browser');
    expect(data.text()).toContain('data set deadbeef-1 cannot be shown');
    data.close();
    const children = h(SweepsPage, { ...page, isEndingHidden: false });
    const sweeps = drawn(h(Guard, { children }));
    await settled();
    expect(sweeps.text()).toContain('sweep deadbeef-1 cannot be shown');
  });
});
