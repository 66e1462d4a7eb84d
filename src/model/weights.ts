/**
 * The weights of a Qwen2-layout transformer in the layout of the ops: projections of the same input are one matrix with
 * concatenated rows. An update replaces tensors and never writes in place, so a shallow clone is a frozen copy. The reference
 * policy consists of such clones.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { JointAdapter, JointProjection } from '../ops/joint-linear';
import type { Weight } from '../ops/lib/weight';

export interface LayerAdapter extends JointAdapter {
  /** For each projection, true if it has an adapter. The parts of `a` and `b` for the others are zeros and are not trained. */
  adapted: readonly boolean[];
}

export interface LayerProjection extends JointProjection {
  adapter: LayerAdapter | null;
}

/** RMSNorms of a layer. qNorm and kNorm, one per head dimension, are null unless the architecture has them. */
const normFields = ['inputNorm', 'qNorm', 'kNorm', 'postNorm'] as const;
export const projectionFields = ['qkv', 'o', 'gateUp', 'down'] as const;

export type NormField = (typeof normFields)[number];
export type ProjectionField = (typeof projectionFields)[number];

export interface LayerWeights extends Record<ProjectionField, LayerProjection> {
  /** [hidden] */
  inputNorm: tf.Tensor1D;
  postNorm: tf.Tensor1D;
  /** [headDim] */
  qNorm: tf.Tensor1D | null;
  kNorm: tf.Tensor1D | null;
}

export interface TransformerWeights {
  embedding: Weight;
  layers: LayerWeights[];
  finalNorm: tf.Tensor1D;
  /** The same object as `embedding` for a tied head. */
  head: Weight;
}

/** A reference to a field that contains a tensor. */
export interface TensorSlot {
  read(): tf.Tensor;
  write(tensor: tf.Tensor): void;
}

const slots = new WeakMap<object, Record<string, TensorSlot>>();

/** The reference to a field, always the same object. */
export function slotOf<K extends string>(holder: Record<K, tf.Tensor | null>, field: K): TensorSlot {
  const known = slots.get(holder) ?? {};
  slots.set(holder, known);
  return (known[field] ??= {
    read: () => holder[field]!,
    write: (tensor) => (holder[field] = tensor),
  });
}

function slotsOf(weights: TransformerWeights): { base: TensorSlot[]; adapter: TensorSlot[] } {
  const { embedding, layers, head } = weights;
  const base = [slotOf(embedding, 'data'), slotOf(weights, 'finalNorm')];
  const adapters: TensorSlot[] = [];
  if (head !== embedding) base.push(slotOf(head, 'data'));
  for (const layer of layers) {
    for (const field of normFields) if (layer[field]) base.push(slotOf(layer, field));
    for (const field of projectionFields) {
      const { weight, bias, adapter } = layer[field];
      base.push(slotOf(weight, 'data'));
      if (bias) base.push(slotOf(layer[field], 'bias'));
      if (adapter) adapters.push(slotOf(adapter.a, 'data'), slotOf(adapter, 'b'));
    }
  }
  return { base, adapter: adapters };
}

function withProjections(
  weights: TransformerWeights,
  changed: (projection: LayerProjection) => LayerProjection,
): TransformerWeights {
  const layers = weights.layers.map((layer) => {
    const copy = { ...layer };
    for (const field of projectionFields) copy[field] = changed(layer[field]);
    return copy;
  });
  return { ...weights, layers };
}

export function withoutAdapter(weights: TransformerWeights): TransformerWeights {
  return withProjections(weights, (projection) => ({ ...projection, adapter: null }));
}

/** Copies one part of the weights, which then keeps its values when the original's tensors are replaced. Shares the other part. */
export function frozenCopy(weights: TransformerWeights, part: 'base' | 'adapter'): TransformerWeights {
  const copy = withProjections(weights, ({ weight, adapter, ...rest }) => ({
    ...rest,
    weight: { ...weight },
    adapter: adapter && { ...adapter, a: { ...adapter.a } },
  }));
  copy.embedding = { ...weights.embedding };
  copy.head = weights.head === weights.embedding ? copy.embedding : { ...weights.head };
  for (const slot of slotsOf(copy)[part]) slot.write(tf.keep(tf.clone(slot.read())));
  return copy;
}

/** @param part part to dispose of, for a frozen copy; omitted: all */
export function disposeWeights(weights: TransformerWeights, part?: 'base' | 'adapter'): void {
  const { base, adapter } = slotsOf(weights);
  const slots = part === undefined ? [...base, ...adapter] : { base, adapter }[part];
  tf.dispose(slots.map((slot) => slot.read()));
}
