/** The check at each op's door: a wrong shape is refused with the op, the argument and both shapes. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { MarbleError } from '../error';

/** `expected` may hold -1 for a size that is free. */
export function expectShape(op: string, argument: string, tensor: Tensor, expected: readonly number[]): void {
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
