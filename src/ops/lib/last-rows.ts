/**
 * Ops that accept the last rows of a longer argument, on wasm only. The last block of a training pass needs no output
 * for the prompts' rows, so its ops omit them.
 */
import { implementations } from '../../gpu/implementations';
import { expectShape } from './shape';

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
