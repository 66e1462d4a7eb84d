import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newRunRecord } from '../../../src/run/record/new-run';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory, type RunHistory } from '../../../src/run/record/history';
import { stubDocument } from '../../fixtures/little-dom';

vi.mock('../../../src/app/session/reading', () => {
  const service = { readHistory: async (file: File) => historyIn(await file.text()) };
  const read = (_: unknown, work: (one: unknown) => Promise<unknown>) => work(service);
  return { createReader: () => ({ read, close: () => undefined }) };
});

const historyIn = (text: string): RunHistory => {
  const [seat, step] = text.split(' ');
  const record = newRunRecord(presets['ladder-12k'], 'a run', {}, { link: '', seat });
  return { ...emptyHistory, record: { ...record, step: Number(step), id: `run ${seat}` } };
};
const fileOf = (seat: number, step = 60) => new File([`${seat} ${step}`], `${seat}.marble`);

/** The listeners of the page that was opened last. */
let listeners: Record<string, (event: Event) => void> = {};
/** Whether the browser asks before it closes the tab. */
const asksToClose = (): boolean => {
  const event = new Event('beforeunload', { cancelable: true });
  listeners.beforeunload(event);
  return event.defaultPrevented;
};

beforeEach(() => {
  vi.resetModules();
  stubDocument();
  vi.stubGlobal('addEventListener', (type: string, listener: (event: Event) => void) => {
    listeners = { ...listeners, [type]: listener };
  });
});
afterEach(() => vi.unstubAllGlobals());

it('runs are read in the order of their arrival, and the tab asks before it closes with them', async () => {
  const { takeFiles, results, filesLeft } = await import('../../../src/app/class/class-results');
  expect(asksToClose()).toBe(false); // there is nothing to lose
  await Promise.all([takeFiles([fileOf(12), fileOf(3, 20)]), takeFiles([fileOf(7), fileOf(3)])]);
  const cameAs = results.value.runs.map(({ student, history }) => [student, history.record.step]);
  expect(cameAs).toEqual(['12', '3', '7'].map((seat) => [seat, 60]));
  expect([filesLeft.value, asksToClose()]).toEqual([0, true]);
});
