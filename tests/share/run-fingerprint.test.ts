import { describe, expect, it } from 'vitest';
import type { StepRecord } from '../../src/run/record/events';
import { decodeLink, encodeLink } from '../../src/share/settings-link';
import { compareWithFingerprint, fingerprintPattern, runFingerprint } from '../../src/share/run-fingerprint';
import { presets } from '../../src/run/config/presets';

const rows = (count: number, change: (step: number) => number = () => 0): StepRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    step: i + 1,
    reward: Math.sin(i) + change(i + 1),
    kl: NaN,
    step_time: Math.random(),
  }));
const fingerprint = runFingerprint(rows(30))!;

describe('the fingerprint of a run', () => {
  it('does not depend on timings or on the version that made it', () => {
    const constant = Array.from({ length: 21 }, (_, i) => ({ step: i + 1, reward: 0.5, step_time: i }));
    expect(runFingerprint(constant)).toBe(
      '21.f0d3dde3.ec17edaaef3de438e5cbe75ee8f1ddecdf7fc165bfd2be3fbcacbb19b986b7f3b660cdfdcc6a096e',
    );
    expect(fingerprint).toMatch(fingerprintPattern);
    expect(runFingerprint(rows(30))).toBe(fingerprint);
    const same = { differsAt: null, isSame: true, rows: 30 };
    expect(compareWithFingerprint(fingerprint, rows(30))).toMatchObject(same);
  });

  it('detects the first step that differs in its last bit', () => {
    const other = rows(30, (step) => (step === 7 ? 2 ** -50 : 0));
    for (const records of [other, other.slice(0, 7)])
      expect(compareWithFingerprint(fingerprint, records)).toMatchObject({ differsAt: 7, isSame: false });
  });

  it('detects a difference after the rows with a separate hash', () => {
    const other = rows(30, (step) => (step === 25 ? 1e-9 : 0));
    const open = compareWithFingerprint(fingerprint, other.slice(0, 29));
    expect(open).toMatchObject({ differsAt: null, isSame: null });
    expect(compareWithFingerprint(fingerprint, other)).toMatchObject({ differsAt: null, isSame: false });
  });

  it('of a stopped run is compared with its number of steps', () => {
    const short = runFingerprint(rows(4))!;
    expect(compareWithFingerprint(short, rows(3)).isSame).toBeNull();
    expect(compareWithFingerprint(short, rows(30))).toMatchObject({ isSame: true, compared: 4, rows: 4 });
    expect(runFingerprint([])).toBeNull();
  });

  it('fits into a link under 1 kB', async () => {
    const config = { ...presets['ladder-25k'], seed: 3, steps: 200 };
    const link = await encodeLink(config, { fingerprint, backend: 'wasm' });
    expect(link.length).toBeLessThan(1024);
    expect(await decodeLink(link)).toMatchObject({ fingerprint, backend: 'wasm', ignored: [] });
    await expect(decodeLink('#preset=ladder-25k&fingerprint=1.xyz')).rejects.toMatchObject({
      code: 'share/out-of-range',
    });
  });
});
