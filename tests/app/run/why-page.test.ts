import { signal } from '@preact/signals';
import { h } from 'preact';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Page } from '../../../src/app/page/page';
import { viewOfKept } from '../../../src/app/session/run-view';
import { WhyPage } from '../../../src/app/run/why-page';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import { classNote } from '../../../src/run/sweep/class-note';
import { drawn, stubDocument } from '../../fixtures/little-dom';

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
});
afterAll(() => vi.unstubAllGlobals());

const config = presets['ladder-12k'];
const room = { base: config, axes: {}, seats: 25 };

/** What the page of a kept run of the small model says, and its buttons. */
function whyOf(notes: string, classroom: typeof room | null, of = config) {
  const record = { ...newRunRecord(of, 'a run', {}), id: '1', notes };
  const view = viewOfKept('kept', { record, steps: [], evals: [], alerts: [], rolloutSteps: [] });
  const page = {
    session: { runOf: () => record, shown: signal(view) },
    hidden: signal([]),
    ...{ recordings: signal([]), classroom: signal(classroom), ofClass: signal(null), places: {} },
  };
  const why = drawn(h(WhyPage, { page: page as unknown as Page, id: '1' }));
  const told = {
    title: why.all('h1')[0].textContent,
    buttons: why.all('button').map(({ textContent }) => textContent),
    text: why.text(),
  };
  why.close();
  return told;
}

it('leads back to the ladder, but nobody out of a class, and says there whose run it is', () => {
  expect(whyOf('', null)).toMatchObject({
    title: 'The small model: not judged. Why?',
    buttons: expect.arrayContaining(['Back to the three', 'All of this run']) as string[],
  });
  const { title, buttons } = whyOf(classNote('7'), room);
  expect(title).toBe('7: The small model: not judged. Why?');
  expect(buttons).toContain('All of this run');
  expect(buttons).not.toContain('Back to the three');
});

it('states the run’s own rule of payment', () => {
  expect(whyOf('', null).text).toContain(
    'The reward pays a right answer 3, a wrong one −0.5, a broken form −3. How',
  );
  const faithful = { ...config, reward: { preset: 'faithful' as const } };
  const { text } = whyOf('', null, faithful);
  expect(text).toContain('The reward pays a whole form 1, a broken one −1, true statements up to 2, ');
  expect(text).not.toMatch(/−3|How much it thinks changes nothing/);
});
