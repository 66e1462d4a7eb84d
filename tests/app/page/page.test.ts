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
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

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
