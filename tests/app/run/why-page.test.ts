import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { WhyPage } from '../../../src/app/run/why-page';
import { viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { Recording } from '../../../src/run/recording/recording-file';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

it('looks in the storage for a run, but not for a recording that is not fetched yet, as after a reload', async () => {
  const open = vi.fn(() => Promise.resolve());
  const recordings = signal<readonly Recording[] | null>(null);
  const page = pageOf({ open }, { recordings });
  for (const id of ['ladder-25k', 'a run']) {
    const shown = drawn(h(WhyPage, { ...page, id }));
    await new Promise((resolve) => setTimeout(resolve));
    shown.close();
  }
  expect(open.mock.calls).toEqual([['a run']]);
});

it('a run of another program has its name in the heading', () => {
  const record = newRunRecord({ ...presets['ladder-12k'], preset: 'imported-trl' }, 'a run', {});
  const view = viewOfKept('kept', { record, steps: [], evals: [], alerts: [], rolloutSteps: [] });
  const session = { open: () => Promise.resolve(), shown: signal(view), runOf: () => undefined };
  const none = signal(null);
  const page = pageOf(session, { recordings: none, ofClass: none, classroom: none });
  const shown = drawn(h(WhyPage, { ...page, id: record.id }));
  expect(shown.all('h1')[0].textContent).toBe('imported-trl: not judged. Why?');
  shown.close();
});
