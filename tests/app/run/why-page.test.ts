import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, describe, expect, it, vi } from 'vitest';
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
    drawn(h(WhyPage, { ...page, id }));
    await new Promise((resolve) => setTimeout(resolve));
  }
  expect(open.mock.calls).toEqual([['a run']]);
});

describe('why a run ended so', () => {
  const small = presets['ladder-12k'];
  const room = { base: small, axes: {}, seats: 25 };

  function whyOf(seat: string | null, classroom: typeof room | null) {
    const ofRun = seat === null ? undefined : { link: '', seat };
    const record = newRunRecord(small, 'a run', {}, ofRun);
    const view = viewOfKept('kept', { record, steps: [], evals: [], alerts: [], rolloutSteps: [] });
    const session = { runOf: () => record, shown: signal(view), open: () => Promise.resolve() };
    const ofClass = { classroom: signal(classroom), ofClass: signal(null) };
    const page = pageOf(session, { recordings: signal([]), ...ofClass });
    const shown = drawn(h(WhyPage, { ...page, id: record.id }));
    const [title] = shown.all('h1').map(({ textContent }) => textContent);
    const buttons = shown.all('button').map(({ textContent }) => textContent);
    return { title, buttons, text: shown.text() };
  }

  it('links to the ladder, except in a class, where it names the student of the run', () => {
    expect(whyOf(null, null)).toMatchObject({
      title: 'The small model: not judged. Why?',
      buttons: expect.arrayContaining(['Back to the three', 'All of this run']) as string[],
      text: expect.stringContaining('The reward pays a right answer 3, a wrong one −0.5') as string,
    });
    const { title, buttons } = whyOf('7', room);
    expect(title).toBe('Seat 7: The small model: not judged. Why?');
    expect(buttons).toContain('All of this run');
    expect(buttons).not.toContain('Back to the three');
  });
});
