/** Shared-prefix attention of rows without padding, by an implementation that requires the padding. */
import type * as tf from '@tensorflow/tfjs-core';
import { paddedRows, type BranchLayout } from '../attention/layout';
import { gather, scatter } from '../gather';

type Attend = (
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  places?: readonly number[],
) => tf.Tensor3D;

export function padded(attend: Attend): Attend {
  return (q, k, v, layout, places) => {
    if (!places) return attend(q, k, v, layout);
    const all = paddedRows(layout);
    const [paddedQ, paddedK, paddedV] = [q, k, v].map((rows) => scatter(rows, places, all));
    return gather(attend(paddedQ, paddedK, paddedV, layout), places);
  };
}
