import { describe, expect, it } from 'vitest';
import { createTransferRate } from '../../../src/store/weights/transfer-rate';

describe('the rate of a download', () => {
  it('covers the last ten seconds', () => {
    let time = 0;
    const rate = createTransferRate(() => time);
    const after = (seconds: number, bytes: number): number | null => {
      time += 1000 * seconds;
      return rate(bytes);
    };
    expect(after(0, 500)).toBeNull();
    expect(after(1, 500)).toBe(1000);
    for (let second = 0; second < 20; second += 1) after(1, 3000);
    expect(after(1, 3000)).toBeCloseTo(3000, 0);
  });

  it('is known for a slow connection that needs more than ten seconds for a piece', () => {
    let time = 0;
    const rate = createTransferRate(() => time);
    time = 40_000;
    expect(rate(4_000_000)).toBe(100_000);
    time = 80_000;
    expect(rate(4_000_000)).toBe(100_000);
  });
});
