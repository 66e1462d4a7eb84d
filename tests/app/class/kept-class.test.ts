import { signal } from '@preact/signals';
import { h } from 'preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClassStore } from '../../../src/store/class-files';
import { newRunRecord } from '../../../src/run/record/new-run';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory, type RunHistory } from '../../../src/run/record/history';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { createMemoryStore } from '../../store/memory-store';
import { pageOf } from '../page-of';

const storage = vi.hoisted(() => ({ service: {} as Record<string, unknown> }));
vi.mock('../../../src/app/session/reading', () => {
  const asked = (work: (service: unknown) => Promise<unknown>) => work(storage.service);
  const read = (_: unknown, work: (service: unknown) => Promise<unknown>) => asked(work);
  return { createReader: () => ({ asked, read, close: () => undefined }) };
});

const historyIn = (text: string): RunHistory => {
  const [seat, step] = text.split(' ');
  const record = newRunRecord(presets['ladder-12k'], 'a run', {}, { link: '', seat });
  return { ...emptyHistory, record: { ...record, step: Number(step), id: `run ${seat}` } };
};
const fileOf = (seat: number, step = 60) => new File([`${seat} ${step}`], `${seat}.marble`);

/** Opens the page, as after a reload. */
async function openPage() {
  vi.resetModules();
  const [kept, { results, unkept, filesLeft }] = await Promise.all([
    import('../../../src/app/class/kept-class'),
    import('../../../src/app/class/class-state'),
  ]);
  await kept.restoreClass();
  const cameAs = () => results.value.runs.map(({ student, history }) => [student, history.record.step]);
  return { ...kept, cameAs, results, unkept, filesLeft };
}

/** The listeners of the page that was opened last. */
let listeners: Record<string, (event: Event) => void> = {};
/** Whether the browser asks before it closes the tab. */
const asksToClose = (): boolean => {
  const event = new Event('beforeunload', { cancelable: true });
  listeners.beforeunload(event);
  return event.defaultPrevented;
};

beforeEach(() => {
  vi.stubGlobal('addEventListener', (type: string, listener: (event: Event) => void) => {
    listeners = { ...listeners, [type]: listener };
  });
  const store = createClassStore(createMemoryStore().use);
  storage.service = {
    ...store,
    readHistory: async (file: File) => historyIn(await file.text()),
    keepClass: async (files: Parameters<typeof store.putClassFile>[0][]) => {
      for (const file of files) await store.putClassFile(file);
    },
  };
});
afterEach(() => vi.unstubAllGlobals());

it('the runs of a class are read again after a reload, in the order of their arrival, until they are cleared', async () => {
  const first = await openPage();
  expect(first.cameAs()).toEqual([]);
  await Promise.all([first.takeFiles([fileOf(12), fileOf(3, 20)]), first.takeFiles([fileOf(7), fileOf(3)])]);
  expect([first.unkept.value, first.filesLeft.value]).toEqual([null, 0]);
  const second = await openPage();
  expect(second.cameAs()).toEqual(['12', '3', '7'].map((seat) => [seat, 60]));
  await second.restoreClass();
  expect(second.results.value.refused).toEqual([]);
  expect([second.cameAs().length, second.filesLeft.value]).toEqual([3, 0]);
  await second.clearClass();
  expect(second.cameAs()).toEqual([]);
  expect((await openPage()).cameAs()).toEqual([]);
});

it('runs that the storage refuses stay in the tab, which asks before it closes, and are stored once there is room', async () => {
  const { keepClass, classFiles } = storage.service;
  storage.service.classFiles = () => Promise.reject(new Error('no storage'));
  await openPage();
  expect(asksToClose()).toBe(false); // there is nothing to lose
  storage.service.classFiles = classFiles;
  const page = await openPage();
  const { MarbleError } = await import('../../../src/base/error'); // the page's copy
  storage.service.keepClass = () =>
    Promise.reject(new MarbleError('store/full', 'The browser has no room left.', 'Delete old runs.'));
  await page.takeFiles([fileOf(1)]);
  expect([page.cameAs().length, page.unkept.value]).toEqual([1, 'The browser has no room left.']);
  expect(asksToClose()).toBe(true);
  storage.service.keepClass = keepClass;
  await page.takeFiles([fileOf(2)]);
  expect([page.unkept.value, asksToClose()]).toEqual([null, false]);
  const stores = vi.spyOn(storage.service, 'keepClass' as never);
  await page.takeFiles([fileOf(1)]);
  expect(stores).toHaveBeenLastCalledWith([]);
  expect((await openPage()).cameAs().map(([student]) => student)).toEqual(['1', '2']);
});

it.each([
  ['7 60', '1 run read'],
  ['Seat 7: M2.0.broken', 'There is no whole result code in this text.'],
])('a text file is said to lack a whole code only if it holds a part of one: %s', async (text, told) => {
  stubDocument();
  await openPage();
  const { ClassResults } = await import('../../../src/app/class/class-results');
  const droppedRuns = signal([new File([text], '7.marble.txt')]);
  const more = { droppedRuns, ofClass: signal(null) };
  const shown = drawn(h(ClassResults, pageOf({}, more)));
  await vi.waitFor(() => expect(shown.text()).toContain(told));
  expect(shown.text().includes('no whole result code')).toBe(text.includes('M2.'));
  shown.close();
});

it('a text file that cannot be read is refused by name, and the others are read', async () => {
  stubDocument();
  await openPage();
  const { ClassResults } = await import('../../../src/app/class/class-results');
  const gone = new File([], 'gone.txt');
  gone.text = () => Promise.reject(new Error('NotReadable'));
  const shown = drawn(
    h(ClassResults, pageOf({}, { droppedRuns: signal([gone, fileOf(7)]), ofClass: signal(null) })),
  );
  await vi.waitFor(() => expect(shown.text()).toContain('1 run read'));
  expect(shown.text()).toMatch(/gone\.txt.*NotReadable/);
  shown.close();
});
