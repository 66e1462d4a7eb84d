/**
 * A layer's projections as the fused kernels take them: those of the same input as one product. Frozen weights were
 * stored together when they were loaded, so that joining them copies nothing; what is trained (small models in f32,
 * adapters) is copied side by side for as long as a pass takes, and its gradients come side by side too. The optimiser
 * and the export go by single projections.
 */
import * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../error';
import type { JointAdapter, JointProjection } from '../ops/joint-linear';
import type { Weight } from '../ops/weight';
import type { GradientParts, LayerWeights, Parameter, Projection } from './weights';

export interface JointLayer {
  qkv: JointProjection;
  o: JointProjection;
  gateUp: JointProjection;
  down: JointProjection;
  /** What was copied side by side. */
  copies: readonly JointCopy[];
}

interface JointCopy {
  tensor: tf.Tensor;
  of: readonly tf.Tensor[];
}

/** A tensor that a gradient flows into, and the parameters that it holds. */
export interface GradientTarget {
  tensor: tf.Tensor;
  parts: GradientParts;
}

export interface JointLayers {
  layers: JointLayer[];
  /** Gives back what was copied. */
  dispose(): void;
}

export function joinLayers(layers: readonly LayerWeights[], adapter: boolean): JointLayers {
  const made: tf.Tensor[] = [];
  const joinLayer = ({ q, k, v, o, gate, up, down }: LayerWeights): JointLayer => {
    const copies: JointCopy[] = [];
    const stack = <T extends tf.Tensor>(parts: readonly T[]): T => {
      if (parts.length === 1) return parts[0];
      const tensor = tf.keep(tf.concat([...parts], 0));
      copies.push({ tensor, of: parts });
      made.push(tensor);
      return tensor;
    };
    const zeros = (shape: [number, number]): tf.Tensor2D => {
      const tensor = tf.keep(tf.zeros<tf.Rank.R2>(shape));
      made.push(tensor);
      return tensor;
    };
    const join = (...group: Projection[]): JointProjection => ({
      segments: group.map(({ weight }) => weight.outputs),
      weight: joinWeights(
        group.map(({ weight }) => weight),
        stack,
      ),
      bias: group[0].bias && stack(group.map(({ bias }) => bias!)),
      adapter: adapter ? joinAdapters(group, stack, zeros) : null,
    });
    return { qkv: join(q, k, v), o: join(o), gateUp: join(gate, up), down: join(down), copies };
  };
  return { layers: layers.map(joinLayer), dispose: () => tf.dispose(made) };
}

/** Where the gradients of a layer's parameters come from: what was copied side by side, and every other by itself. */
export function gradientTargets(
  parameters: readonly Parameter[],
  { copies }: Pick<JointLayer, 'copies'>,
): GradientTarget[] {
  const single = new Map(parameters.map((parameter) => [parameter.read(), parameter.name]));
  const targets: GradientTarget[] = [];
  for (const { tensor, of } of copies) {
    if (!of.some((part) => single.has(part))) continue; // frozen
    targets.push({ tensor, parts: of.map((part) => ({ name: single.get(part) ?? null, size: part.size })) });
    for (const part of of) single.delete(part);
  }
  for (const [tensor, name] of single) targets.push({ tensor, parts: [{ name, size: tensor.size }] });
  return targets;
}

type Stack = <T extends tf.Tensor>(parts: readonly T[]) => T;

function joinWeights(parts: readonly Weight[], stack: Stack): Weight {
  const [first] = parts;
  const outputs = parts.reduce((sum, part) => sum + part.outputs, 0);
  if (parts.every(({ data }) => data === first.data)) return { ...first, outputs };
  const matrices = parts.filter((part) => part.format === 'f32').map((part) => part.data);
  if (matrices.length < parts.length) {
    throw new MarbleError(
      'model/weights-apart',
      `Packed weights (${first.format}) of projections that are computed together stand in tensors of their own.`,
      'Let the supply of the weights hand them out together, as `checkpointSupply` does.',
    );
  }
  const data = stack(matrices);
  const trainable = first.format === 'f32' && first.trainable;
  return { format: 'f32', data, outputs, inputs: first.inputs, trainable };
}

/** A projection without an adapter beside ones that have it takes part with zeros. */
function joinAdapters(
  group: readonly Projection[],
  stack: Stack,
  zeros: (shape: [number, number]) => tf.Tensor2D,
): JointAdapter | null {
  const some = group.find(({ lora }) => lora)?.lora;
  if (!some) return null;
  const rank = some.a.outputs;
  const matrix = (projection: Projection, side: 'a' | 'b'): tf.Tensor2D =>
    projection.lora?.[side].data ??
    zeros(side === 'a' ? [rank, some.a.inputs] : [projection.weight.outputs, rank]);
  const a = stack(group.map((projection) => matrix(projection, 'a')));
  return {
    a: { format: 'f32', data: a, outputs: a.shape[0], inputs: a.shape[1], trainable: true },
    b: stack(group.map((projection) => matrix(projection, 'b'))),
    scale: some.scale,
  };
}
