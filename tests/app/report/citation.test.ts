import { describe, expect, it } from 'vitest';
import { isForThisComputer, reachWords } from '../../../src/app/ui/address-reach';
import { citation } from '../../../src/app/report/citation';
import { rangesOf } from '../../../src/app/ui/numbers';
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

it('seeds that follow each other are written as a range', () => {
  expect(rangesOf([1, 2, 4, 7, 8, 9])).toBe('1, 2, 4, 7 to 9');
});

it('a citation takes what a file says of its machine as text', () => {
  const odd = { ...record, machine: { build: '1}, a = {\u001b' } };
  expect(citation(odd, '', null)).toContain('version = {1), a = ( },');
});

describe('a copied link', () => {
  const at = (address: string) => isForThisComputer(new URL(address));

  it('is known to open on this computer only, on localhost and from a file', () => {
    for (const address of [
      'http://localhost:5173/#seed=3',
      'http://marble.localhost/',
      'http://127.0.0.1:8000/',
      'http://[::1]:8000/',
      'http://0.0.0.0:8000/',
      'file:///home/ada/dist/index.html',
    ]) {
      expect(at(address), address).toBe(true);
    }
    expect(reachWords(new URL('http://localhost:5173/'))).toContain('on this computer only');
  });

  it('goes without a warning where others reach the page', () => {
    for (const address of [
      'https://example.org/marble/',
      'http://192.168.1.20:8000/',
      'https://localhost.example.org/',
      'http://127.example.org/',
    ]) {
      expect(at(address), address).toBe(false);
    }
    expect(reachWords(new URL('https://example.org/'))).toBe('');
  });
});
