import { describe, expect, it } from 'vitest';
import { dotColumns } from '../../src/app/update/dot-columns';

const overlaps = (dots: { x: number; y: number }[], pitch: number): number =>
  dots.filter((one, i) =>
    dots.some(
      (other, j) =>
        j > i && Math.abs(one.x - other.x) < pitch - 1e-6 && Math.abs(one.y - other.y) < pitch - 1e-6,
    ),
  ).length;

describe('the dots of a strip', () => {
  it('that are equal stand in a block around their place, none upon another', () => {
    const dots = dotColumns(
      Array.from({ length: 40 }, () => 300),
      6,
      8,
    );
    expect(overlaps(dots, 6)).toBe(0);
    expect(dots.reduce((sum, { x }) => sum + x, 0) / dots.length).toBeCloseTo(300);
    expect(Math.max(...dots.map(({ y }) => y))).toBe(7 * 6);
  });

  it('stay clear of the next value, and are pressed together where there is no room beside', () => {
    const near = [...Array.from({ length: 30 }, () => 300), ...Array.from({ length: 30 }, () => 306)];
    const dots = dotColumns(near, 6, 8);
    expect(new Set(dots.map(({ x }) => x))).toEqual(new Set([300, 306]));
    expect(Math.max(...dots.map(({ y }) => y))).toBeLessThanOrEqual(7 * 6);
  });

  it('stay within the picture at its ends', () => {
    const dots = dotColumns([...Array.from({ length: 100 }, () => 580), 20], 6, 8, 600);
    expect(Math.max(...dots.map(({ x }) => x))).toBeLessThanOrEqual(600);
    expect(Math.max(...dots.map(({ y }) => y))).toBeLessThanOrEqual(7 * 6);
  });
});
