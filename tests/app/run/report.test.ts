import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { citation, ConfigTable, Report } from '../../../src/app/run/report';
import { viewOfKept } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { RunRecord } from '../../../src/run/record/run-record';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

const foreign = { ...presets['ladder-12k'], preset: 'imported-trl' };

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
});

it('settings of an unknown preset are not said to be those of a preset', () => {
  const shown = drawn(h(ConfigTable, { config: foreign }));
  expect(shown.text()).toMatch(/^SettingsThis page has no preset/);
});

/** The report of a run, once it contains these words. */
async function reportOf(record: RunRecord, words: string, session: object = {}) {
  const kept = { ...emptyHistory, record, rolloutSteps: [] };
  const page = pageOf({ allRecords: () => Promise.resolve([]), ...session });
  const shown = drawn(h(Report, { ...page, record, view: viewOfKept('kept', kept) }));
  await vi.waitFor(() => expect(shown.text()).toContain(words));
  return shown;
}

it('the report of a run that trains does not call it interrupted', async () => {
  const record = { ...newRunRecord(presets['ladder-25k'], '', {}), status: 'running' as const, step: 7 };
  await reportOf(record, 'is training now at step 7 of 60', { trainsHere: () => true });
  await reportOf(record, 'is interrupted at step 7 of 60');
});

it('the link of a report promises the same numbers of a run whose backend is known', async () => {
  const record = newRunRecord(presets['ladder-25k'], '', { backend: { backend: 'wasm' } });
  const own = (await reportOf(record, 'it gives the same numbers')).text();
  expect(own).not.toContain('and the result');
  await reportOf({ ...record, machine: { program: 'TRL' } }, 'holds the settings and the seed.');
});

it('a run of a model that this version lacks has a report without a link', async () => {
  const config = { ...foreign, model: { kind: 'embedded' as const, name: 'gone' } };
  const record = newRunRecord(config, '', {});
  const words = 'lacks the model of the run';
  const shown = await reportOf(record, words);
  expect(shown.all('a')).toEqual([]);
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
