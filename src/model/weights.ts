/**
 * The weights of a Qwen2-layout transformer as the ops take them: projections of the same input are one matrix, their
 * rows one after the other. An update replaces tensors, it never writes into one, so a cheap clone of a tensor is a
 * frozen copy: that is how the reference policy is kept.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { JointAdapter, JointProjection } from '../ops/joint-linear';
import type { Weight } from '../ops/lib/weight';

export interface LayerAdapter extends JointAdapter {
  /** Which of the projections have one: the others' parts of `a` and `b` are zeros that nothing trains. */
  adapted: readonly boolean[];
}

export interface LayerProjection extends JointProjection {
  adapter: LayerAdapter | null;
}

/** RMSNorms of a layer; those of every head of q and k are null unless the architecture has them. */
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
  /** The same object as `embedding` where the head is tied. */
  head: Weight;
}

/** A field that holds a tensor. */
export interface TensorSlot {
  read(): tf.Tensor;
  write(tensor: tf.Tensor): void;
}

export function slotOf<K extends string>(holder: Record<K, tf.Tensor | null>, field: K): TensorSlot {
  return {
    read: () => holder[field]!,
    write: (tensor) => (holder[field] = tensor),
  };
}

function weightSlots(weight: Weight): TensorSlot[] {
  return [slotOf(weight, 'data')];
}

function slotsOf(weights: TransformerWeights): { base: TensorSlot[]; adapter: TensorSlot[] } {
  const { embedding, layers, head } = weights;
  const base = [...weightSlots(embedding), slotOf(weights, 'finalNorm')];
  const adapters: TensorSlot[] = [];
  if (head !== embedding) base.push(...weightSlots(head));
  for (const layer of layers) {
    for (const field of normFields) if (layer[field]) base.push(slotOf(layer, field));
    for (const field of projectionFields) {
      const { weight, bias, adapter } = layer[field];
      base.push(...weightSlots(weight));
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

/** A copy of one part that keeps its values when the original's tensors are replaced; the other part is the same. */
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

/** @param part - of a frozen copy the one that is its own */
export function disposeWeights(weights: TransformerWeights, part?: 'base' | 'adapter'): void {
  const { base, adapter } = slotsOf(weights);
  const slots = part === undefined ? [...base, ...adapter] : { base, adapter }[part];
  tf.dispose(slots.map((slot) => slot.read()));
}
