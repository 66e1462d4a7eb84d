/** Argument checks of the ops. A wrong shape throws an error that names the op, the argument and both shapes. */
import { MarbleError } from '../../base/error';
import { implementations } from '../../gpu/implementations';
import type { Weight } from './weight';

/** `expected` may contain -1 for any size. */
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

/**
 * Largest multiple of `step` that is at most `size`, but at least `step`. A number of heads must be a multiple of the
 * number of key/value heads.
 */
export function multipleOf(step: number, size: number): number {
  return Math.max(1, Math.floor(size / step)) * step;
}

/** Checks that a weight's tensors have the shape that the weight declares. */
export function expectWeight(op: string, argument: string, weight: Weight): void {
  const { inputs, outputs } = weight;
  if (weight.format === 'f32') {
    expectShape(op, `${argument}.data`, weight.data, [outputs, inputs]);
    return;
  }
  expectShape(op, `${argument}.data`, weight.data, [Math.ceil((outputs * inputs) / 2)]);
}

/** The last block of a training pass needs no output for the prompts' rows, so its ops omit them, on wasm only. */
const support = implementations('lastRows', {
  wasm: () => Promise.resolve(true),
  wgsl: () => Promise.resolve(false),
});

/** True if the ops of the open engine accept the last rows of a longer argument. */
export const acceptsLastRows = (): boolean => support.current;

/** Checks that a tensor has the shape [rows, ...rest]. It may have more rows if the op accepts the last rows. */
export function expectLastRows(
  op: string,
  argument: string,
  tensor: { readonly shape: readonly number[] },
  [rows, ...rest]: readonly number[],
): void {
  const isLonger = support.current && tensor.shape[0] > rows;
  expectShape(op, argument, tensor, [isLonger ? -1 : rows, ...rest]);
}
