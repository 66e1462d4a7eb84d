import fc from 'fast-check';
import type { VNode } from 'preact';
import { expect, it, vi } from 'vitest';
import { blocksOf, DotStrip } from '../../../src/app/update/dot-strip';
import { signedNumber } from '../../../src/app/ui/numbers';

it('values that read the same are a block, and close ones join while there are more than five', () => {
  expect(blocksOf([3, -1, 2, 3.001, 0], signedNumber)).toEqual([[1], [4], [2], [0, 3]]);
  expect(blocksOf([-0.1, 0.1, 1, 1.2, 2, 3, 4], signedNumber)).toEqual([[0], [1], [2, 3, 4], [5], [6]]);
});

it('each dot is in one block, in the order of the values, and on its side of zero', () => {
  const strips = fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1, maxLength: 128 });
  const check = (hundredths: number[]): void => {
    const values = hundredths.map((value) => value / 100);
    const blocks = blocksOf(values, signedNumber);
    expect(blocks.length).toBeLessThanOrEqual(5);
    expect(blocks.flat().map((i) => values[i])).toEqual(values.toSorted((one, other) => one - other));
    for (const block of blocks) expect(new Set(block.map((i) => Math.sign(values[i]))).size).toBe(1);
    for (const value of values) expect(blocks.filter((one) => one.some((i) => values[i] === value))).toHaveLength(1); // prettier-ignore
  };
  fc.assert(fc.property(strips, check));
});

it('a press chooses the nearest dot, and none on a strip without dots, as of a step whose answers were all cut off', () => {
  const onPress = vi.fn();
  const dot = (value: number) => ({ value, colour: '', isTold: false });
  const press = (values: number[], x: number): void => {
    const strip = DotStrip({ dots: values.map(dot), label: '', words: String, onPress });
    const boxes = values.map((_, place) => ({ x: 20 * place, y: 0, width: 10 }));
    const drawn = boxes.map((box) => ({ getBoundingClientRect: () => box }));
    const currentTarget = { querySelectorAll: () => drawn };
    (strip as VNode<{ onClick: (event: object) => void }>).props.onClick({ currentTarget, clientX: x, clientY: 9 }); // prettier-ignore
  };
  press([3, -1], 28); // the second from the left is the first in the batch
  expect(onPress.mock.calls).toEqual([[0]]);
  press([], 1);
  expect(onPress).toHaveBeenCalledTimes(1);
});
