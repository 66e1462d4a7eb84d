import type { VNode } from 'preact';
import { describe, expect, it, vi } from 'vitest';
import { dotColumns, DotStrip } from '../../../src/app/update/dot-strip';

const size = { width: 600, height: 48, zero: 0, pitch: 6 };
const many = (count: number, x: number): number[] => Array.from({ length: count }, () => x);
const extent = (dots: { x: number }[]): [number, number] => [
  Math.min(...dots.map(({ x }) => x)),
  Math.max(...dots.map(({ x }) => x)),
];

const overlaps = (dots: { x: number; y: number }[], pitch: number): number =>
  dots.filter((one, i) =>
    dots.some(
      (other, j) =>
        j > i && Math.abs(one.x - other.x) < pitch - 1e-6 && Math.abs(one.y - other.y) < pitch - 1e-6,
    ),
  ).length;

describe('the dots of a strip', () => {
  it('that are equal form a block around their place without overlap', () => {
    const { places: dots, blocks } = dotColumns(many(40, 300), size);
    expect(blocks).toEqual([{ x: 300, members: Array.from({ length: 40 }, (_, i) => i), top: 7 * 6 }]);
    expect(overlaps(dots, 6)).toBe(0);
    expect(dots.reduce((sum, { x }) => sum + x, 0) / dots.length).toBeCloseTo(300);
    expect(Math.max(...dots.map(({ y }) => y))).toBe(7 * 6);
  });

  it('stay clear of the next value', () => {
    const { places: dots, blocks, pitch } = dotColumns([...many(30, 300), ...many(30, 306)], size);
    expect(blocks.map(({ members }) => members.length)).toEqual([30, 30]);
    expect(overlaps(dots, pitch)).toBe(0);
    expect(Math.max(...dots.slice(0, 30).map(({ x }) => x))).toBeLessThan(
      Math.min(...dots.slice(30).map(({ x }) => x)),
    );
  });

  it('that are nearly equal are one block with one number', () => {
    const spread = Array.from({ length: 60 }, (_, i) => 300 + i / 10);
    const { blocks } = dotColumns([...spread, ...many(10, 400)], size);
    expect(blocks.map(({ members }) => members.length)).toEqual([60, 10]);
  });

  it('do not cross zero or join those on its other side', () => {
    const up = 190;
    const { places: dots, pitch } = dotColumns([...many(100, up), ...many(28, 148), ...many(3, 152)], {
      ...size,
      width: 300,
      zero: 150,
    });
    expect(extent(dots.slice(0, 100))[0]).toBeGreaterThanOrEqual(150 + pitch / 2);
    expect(extent(dots.slice(100, 128))[1]).toBeLessThanOrEqual(150 - pitch / 2);
    expect(extent(dots.slice(128))[0]).toBeGreaterThanOrEqual(150 + pitch / 2);
    const [from, to] = extent(dots.slice(0, 100));
    expect(Math.abs((from + to) / 2 - up)).toBeLessThan(pitch);
  });

  it('of 0 are centred on its line, and push the next block away', () => {
    const xs = [...many(119, 150), ...many(8, 166), 36];
    const { places: dots, pitch } = dotColumns(xs, { ...size, width: 300, zero: 150 });
    const [from, to] = extent(dots.slice(0, 119));
    expect((from + to) / 2).toBeCloseTo(150);
    expect(overlaps(dots, pitch)).toBe(0);
  });

  it('are drawn smaller where they would leave the picture', () => {
    const { places: dots, pitch } = dotColumns([...many(500, 300), ...many(300, 580)], size);
    expect(pitch).toBeLessThan(6);
    expect(overlaps(dots, pitch)).toBe(0);
    expect(Math.max(...dots.map(({ x }) => x))).toBeLessThanOrEqual(600);
    expect(Math.max(...dots.map(({ y }) => y))).toBeLessThanOrEqual(size.height);
  });
});

it('a press on a strip without dots, as of a step whose answers were all cut off, chooses none', () => {
  const onPress = vi.fn();
  const strip = DotStrip({ dots: [], range: [0, 1], label: '', words: String, onPress });
  const [svg] = (strip.props as { children: VNode<{ onClick: (event: object) => void }>[] }).children;
  const currentTarget = { getBoundingClientRect: () => ({ left: 0, top: 0, width: 300 }) };
  svg.props.onClick({ currentTarget, clientX: 1, clientY: 1 });
  expect(onPress).not.toHaveBeenCalled();
});
