import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { WhyPage } from '../../../src/app/run/why-page';
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
