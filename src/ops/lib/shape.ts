/** The check at each op's door: a wrong shape is refused with the op, the argument and both shapes. */
import { MarbleError } from '../../base/error';
import type { Weight } from './weight';

/** `expected` may hold -1 for a size that is free. */
export function expectShape(
  op: string,
  argument: string,
  tensor: { readonly shape: readonly number[] },
  expected: readonly number[],
): void {
  const fits =
    tensor.shape.length === expected.length &&
    expected.every((size, axis) => size === -1 || size === tensor.shape[axis]);
  if (!fits) {
    throw new MarbleError(
      'ops/shape',
      `${op}: ${argument} has shape [${tensor.shape.join(', ')}], expected [${expected
        .map((size) => (size === -1 ? 'any' : size))
        .join(', ')}].`,
      'Check the model configuration against the weights that were loaded.',
    );
  }
}

/** The multiple of `step` at or below `size`, at least one: what a number of heads must be of the key/value heads. */
export function multipleOf(step: number, size: number): number {
  return Math.max(1, Math.floor(size / step)) * step;
}

/** That a weight's tensors hold the rows which it says it has. */
export function expectWeight(op: string, argument: string, weight: Weight): void {
  const { inputs, outputs } = weight;
  if (weight.format === 'f32') {
    expectShape(op, `${argument}.data`, weight.data, [outputs, inputs]);
    return;
  }
  expectShape(op, `${argument}.data`, weight.data, [Math.ceil((outputs * inputs) / 2)]);
}
