import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { citation, Report } from '../../../src/app/run/report';
import { viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { RunRecord } from '../../../src/run/record/run-record';
import { drawn } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

/** The report of a run, once it contains these words. */
async function reportOf(record: RunRecord, words: string, session: object = {}) {
  const kept = { ...emptyHistory, record, rolloutSteps: [] };
  const page = pageOf({ allRecords: () => Promise.resolve([]), ...session });
  const shown = drawn(h(Report, { ...page, record, view: viewOfKept('kept', kept) }));
  await vi.waitFor(() => expect(shown.text()).toContain(words));
  return shown;
}

it('the link of a report promises the same numbers of a run whose backend is known', async () => {
  const record = newRunRecord(presets['ladder-25k'], '', { backend: { backend: 'wasm' } });
  const own = (await reportOf(record, 'it gives the same numbers')).text();
  expect(own).not.toContain('and the result');
  await reportOf({ ...record, machine: { program: 'TRL' } }, 'holds the settings and the seed.');
});

it('a citation names build, settings and link, and its text is harmless to TeX', () => {
  const config = { ...presets['swap-shortcut'], seed: 3, preset: 'a_b%c' };
  const machine = { build: '1}, a = {\u001b', backend: { backend: 'wasm' } };
  const createdAt = Date.UTC(2026, 2, 1);
  const record = { ...newRunRecord(config, 'a run', machine), step: 150, createdAt };
  expect(citation(record, 'https://example.org/#v=1&seed=3', 'stops thinking (judged at step 90)')).toBe(
    [
      '@software{marble-2026-03-01-seed-3,',
      '  author = {{Marble contributors}},',
      '  title = {{Marble}: reinforcement learning for small language models in a browser tab},',
      '  version = {1), a = ( },',
      '  year = {2026},',
      '  url = {https://example.org/#v=1&seed=3},',
      '  note = {Run of 2026-03-01: a\\_b\\%c; 150 of 150 steps; on wasm; verdict: stops thinking (judged at step 90)},',
      '}',
    ].join('\n'),
  );
  expect(citation(record, '', null)).not.toMatch(/verdict|url/);
});
