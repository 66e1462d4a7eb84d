import { expect, it } from 'vitest';
import { citation } from '../../../src/app/report/report-page';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';

const config = { ...presets['swap-shortcut'], seed: 3 };
const record = {
  ...newRunRecord(config, 'a run', { build: '0.1.0+abc', backend: { backend: 'wasm' } }),
  step: 150,
  createdAt: Date.UTC(2026, 2, 1),
};
it('a citation names build, settings and link, and its text is harmless to TeX', () => {
  const noted = { ...record, config: { ...config, preset: 'a_b%c' } };
  expect(citation(noted, 'https://example.org/#v=1&seed=3', 'stops thinking (judged at step 90)')).toBe(
    [
      '@software{marble-2026-03-01-seed-3,',
      '  author = {{Marble contributors}},',
      '  title = {{Marble}: reinforcement learning for small language models in a browser tab},',
      '  version = {0.1.0+abc},',
      '  year = {2026},',
      '  url = {https://example.org/#v=1&seed=3},',
      '  note = {Run of 2026-03-01: a\\_b\\%c; 150 of 150 steps; on wasm; verdict: stops thinking (judged at step 90)},',
      '}',
    ].join('\n'),
  );
  expect(citation(record, 'https://example.org/', null)).not.toContain('verdict');
});

it('a citation takes what a file says of its machine as text', () => {
  const odd = { ...record, machine: { build: '1}, a = {\u001b' } };
  expect(citation(odd, '', null)).toContain('version = {1), a = ( },');
});
