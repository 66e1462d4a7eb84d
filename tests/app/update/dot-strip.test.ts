import fc from 'fast-check';
import type { VNode } from 'preact';
import { describe, expect, it, vi } from 'vitest';
import { dotColumns, DotStrip } from '../../../src/app/update/dot-strip';

const size = { width: 300, height: 46, zero: 150, pitch: 6 };
const many = (count: number, x: number): number[] => Array.from({ length: count }, () => x);

describe('the dots of a strip', () => {
  it('that are equal or nearly equal form a block around their place', () => {
    const { places, blocks } = dotColumns(many(42, 200), size);
    expect(blocks).toEqual([{ x: 200, members: Array.from({ length: 42 }, (_, i) => i), top: 6 * 6 }]);
    expect(places.reduce((sum, { x }) => sum + x, 0) / places.length).toBeCloseTo(200);
    const spread = Array.from({ length: 60 }, (_, i) => 200 + i / 10);
    const near = dotColumns([...spread, ...many(10, 260)], size);
    expect(near.blocks.map(({ members }) => members.length)).toEqual([60, 10]);
  });

  it('lie in the picture, apart from each other, in the order and on the side of their values', () => {
    const values = fc.tuple(fc.integer({ min: 36, max: 264 }), fc.integer({ min: 1, max: 30 }));
    const strips = fc.array(values, { minLength: 1, maxLength: 5 });
    const examples: [[number, number][]][] = [
      [[[200, 30], [206, 30]]], // prettier-ignore
      [[[190, 100], [148, 28], [152, 3]]], // prettier-ignore
      [[[150, 119], [166, 8], [36, 1]]], // prettier-ignore
      [[[150, 100], [258, 150]]], // prettier-ignore
    ];
    const check = (strip: [number, number][]): void => {
      const xs = strip.flatMap(([x, count]) => many(count, x));
      const { places, blocks, pitch } = dotColumns(xs, size);
      const isNear = (one: number, other: number): boolean => Math.abs(one - other) < pitch - 1e-6;
      for (const [i, { x, y }] of places.entries()) {
        expect([x >= 0, x <= size.width, y <= size.height]).toEqual([true, true, true]);
        expect(places.some((other, j) => j > i && isNear(x, other.x) && isNear(y, other.y))).toBe(false);
        if (Math.abs(xs[i] - 150) > 1) expect(Math.sign(x - 150)).toBe(Math.sign(xs[i] - 150));
      }
      expect(blocks.map(({ x }) => x)).toEqual(blocks.map(({ x }) => x).sort((a, b) => a - b));
      if (xs.includes(150)) expect(blocks.some(({ x }) => x === 150)).toBe(true);
    };
    fc.assert(fc.property(strips, check), { examples });
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
