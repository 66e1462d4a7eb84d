import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPage } from '../../../src/app/page/page';
import { viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { stubDocument } from '../../fixtures/little-dom';
import { keptRunOf } from '../session/fake-worker';

beforeEach(() => {
  vi.useFakeTimers();
  stubDocument();
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('history', { state: null, replaceState: () => undefined, pushState: () => undefined });
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener));
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const listeners = new Map<string, (event: object) => void>();
const closed = new Promise<never>(() => undefined);
const open = () =>
  createPage(() => ({ service: {} as never, ended: closed, close: () => undefined }), 'http://localhost/');

it('the form takes the settings of a run at each opening, but not while the run stays open', () => {
  const { session, draft } = open();
  const kept = keptRunOf('a');
  const other = presets['swap-shortcut'];
  for (const isClosed of [true, false, true]) {
    session.shown.value = viewOfKept('kept', kept);
    expect(draft.value === kept.record.config).toBe(isClosed);
    draft.value = other;
    session.shown.value = viewOfKept('kept', kept); // refreshed
    expect(draft.value).toBe(other);
    if (!isClosed) session.shown.value = null;
  }
});

it('a run file that is dropped on the first screen is opened in the place of a run, and one of a class is read', async () => {
  vi.stubGlobal('scrollTo', () => undefined);
  const { session, places, droppedRuns } = open();
  const opened = vi.spyOn(session, 'openRunFile').mockResolvedValueOnce(null).mockResolvedValueOnce('a');
  const dataTransfer = { files: [new File([], 'a.marble')] };
  const drop = () =>
    listeners.get('drop')!({ preventDefault: () => undefined, defaultPrevented: false, dataTransfer });
  for (const place of ['ladder', 'run']) {
    drop();
    await vi.advanceTimersByTimeAsync(0);
    expect(places.place.value.name).toBe(place);
  }
  places.go({ name: 'class' });
  drop();
  expect(droppedRuns.value).toEqual(dataTransfer.files);
  expect(opened).toHaveBeenCalledTimes(2);
});
