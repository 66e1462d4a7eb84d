/**
 * The weights of a Qwen2-layout transformer as the ops take them, and the list of those that are trained.
 *
 * Names are those of the checkpoint (`model.layers.0.self_attn.q_proj.weight`). An update replaces tensors, it never
 * writes into one, so a cheap clone of a tensor is a frozen copy: that is how the reference policy is kept.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Float32Weight, Weight } from '../ops/weight';
import type { ModelConfig } from './config';

export interface LoraPair {
  /** [rank, inputs] */
  a: Float32Weight;
  /** [outputs, rank] */
  b: Float32Weight;
  /** alpha / rank */
  scale: number;
}

export interface Projection {
  weight: Weight;
  /** [outputs] */
  bias: tf.Tensor1D | null;
  lora: LoraPair | null;
}

export interface LayerWeights {
  inputNorm: tf.Tensor1D;
  q: Projection;
  k: Projection;
  v: Projection;
  o: Projection;
  /** RMSNorm of every head of q and k, [headDim]; null unless the architecture has it. */
  qNorm: tf.Tensor1D | null;
  kNorm: tf.Tensor1D | null;
  postNorm: tf.Tensor1D;
  gate: Projection;
  up: Projection;
  down: Projection;
}

export interface TransformerWeights {
  embedding: Weight;
  layers: LayerWeights[];
  finalNorm: tf.Tensor1D;
  /** The same object as `embedding` where the head is tied. */
  head: Weight;
}

/** The seven projections of a layer, with their names in the checkpoint. */
export const projections = [
  ['q', 'self_attn.q_proj'],
  ['k', 'self_attn.k_proj'],
  ['v', 'self_attn.v_proj'],
  ['o', 'self_attn.o_proj'],
  ['gate', 'mlp.gate_proj'],
  ['up', 'mlp.up_proj'],
  ['down', 'mlp.down_proj'],
] as const;

export type ProjectionName = (typeof projections)[number][0];

/** Projections of the same input: the fused kernels compute each group as one product, for which its rows are stored together. */
export const projectionGroups: readonly (readonly ProjectionName[])[] = [
  ['q', 'k', 'v'],
  ['o'],
  ['gate', 'up'],
  ['down'],
];

/** A trainable tensor and the place where the weights hold it. */
export interface Parameter {
  name: string;
  shape: readonly number[];
  read(): tf.Tensor;
  write(tensor: tf.Tensor): void;
}

/** Parameters whose gradients stand in one tensor, one after another: name and elements; no name where none is trained. */
export type GradientParts = readonly { name: string | null; size: number }[];

export interface PartialGradient {
  parts: GradientParts;
  tensor: tf.Tensor;
}

/** Parameters by the part of the model whose backward pass yields their gradients. */
export interface TrainableParts {
  embedding: Parameter[];
  layers: Parameter[][];
  /** Final norm and head; a tied head stands under `embedding` only and takes gradients from both ends. */
  head: Parameter[];
}

/** [outputs, inputs] of each projection. */
export function projectionShapes(config: ModelConfig): Record<ProjectionName, [number, number]> {
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize } = config;
  return {
    q: [heads * headDim, hiddenSize],
    k: [kvHeads * headDim, hiddenSize],
    v: [kvHeads * headDim, hiddenSize],
    o: [hiddenSize, heads * headDim],
    gate: [intermediateSize, hiddenSize],
    up: [intermediateSize, hiddenSize],
    down: [hiddenSize, intermediateSize],
  };
}

type VectorName<T> = { [K in keyof T]: T[K] extends tf.Tensor1D | null ? K : never }[keyof T];

function vectorParameter<T>(name: string, holder: T, key: VectorName<T>): Parameter[] {
  const record = holder as Record<VectorName<T>, tf.Tensor1D | null>;
  const tensor = record[key];
  if (!tensor) return [];
  return [
    {
      name,
      shape: tensor.shape,
      read: () => record[key]!,
      write: (next) => (record[key] = next as tf.Tensor1D),
    },
  ];
}

function matrixParameter(name: string, weight: Weight): Parameter[] {
  if (weight.format !== 'f32' || !weight.trainable) return [];
  return [
    {
      name,
      shape: [weight.outputs, weight.inputs],
      read: () => weight.data,
      write: (next) => (weight.data = next as tf.Tensor2D),
    },
  ];
}

/** Every tensor of a fully trained model, in the order of the checkpoint's layers. */
export function fullParameters(weights: TransformerWeights): TrainableParts {
  const layers = weights.layers.map((layer, index) => {
    const prefix = `model.layers.${index}`;
    return [
      ...vectorParameter(`${prefix}.input_layernorm.weight`, layer, 'inputNorm'),
      ...projections.flatMap(([key, name]) => [
        ...matrixParameter(`${prefix}.${name}.weight`, layer[key].weight),
        ...vectorParameter(`${prefix}.${name}.bias`, layer[key], 'bias'),
      ]),
      ...vectorParameter(`${prefix}.self_attn.q_norm.weight`, layer, 'qNorm'),
      ...vectorParameter(`${prefix}.self_attn.k_norm.weight`, layer, 'kNorm'),
      ...vectorParameter(`${prefix}.post_attention_layernorm.weight`, layer, 'postNorm'),
    ];
  });
  return {
    embedding: matrixParameter('model.embed_tokens.weight', weights.embedding),
    layers,
    head: [
      ...vectorParameter('model.norm.weight', weights, 'finalNorm'),
      ...(weights.head === weights.embedding ? [] : matrixParameter('lm_head.weight', weights.head)),
    ],
  };
}

/** The A and B of every projection that has an adapter, under PEFT's names. */
export function loraParameters(weights: TransformerWeights): TrainableParts {
  const layers = weights.layers.map((layer, index) =>
    projections.flatMap(([key, name]) => {
      const pair = layer[key].lora;
      if (!pair) return [];
      const prefix = `base_model.model.model.layers.${index}.${name}`;
      return [
        ...matrixParameter(`${prefix}.lora_A.weight`, pair.a),
        ...matrixParameter(`${prefix}.lora_B.weight`, pair.b),
      ];
    }),
  );
  return { embedding: [], layers, head: [] };
}

/** A frozen copy that shares no tensor handles with the original (the data is shared until an update replaces it). */
export function freeze(weights: TransformerWeights): TransformerWeights {
  const vector = (tensor: tf.Tensor1D): tf.Tensor1D => tf.keep(tf.clone(tensor));
  const optional = (tensor: tf.Tensor1D | null): tf.Tensor1D | null => tensor && vector(tensor);
  const matrix = (weight: Weight): Weight => {
    if (weight.format === 'f32') {
      return { ...weight, data: tf.keep(tf.clone(weight.data)), trainable: false };
    }
    return weight;
  };
  const projection = ({ weight, bias }: Projection): Projection => ({
    weight: matrix(weight),
    bias: optional(bias),
    lora: null,
  });
  const embedding = matrix(weights.embedding);
  return {
    embedding,
    layers: weights.layers.map((layer) => ({
      inputNorm: vector(layer.inputNorm),
      qNorm: optional(layer.qNorm),
      kNorm: optional(layer.kNorm),
      postNorm: vector(layer.postNorm),
      q: projection(layer.q),
      k: projection(layer.k),
      v: projection(layer.v),
      o: projection(layer.o),
      gate: projection(layer.gate),
      up: projection(layer.up),
      down: projection(layer.down),
    })),
    finalNorm: vector(weights.finalNorm),
    head: weights.head === weights.embedding ? embedding : matrix(weights.head),
  };
}

/** The weights with a frozen copy of their adapter; everything else is the same, and not for the copy to dispose of. */
export function freezeAdapter(weights: TransformerWeights): TransformerWeights {
  const matrix = (weight: Float32Weight): Float32Weight => ({
    ...weight,
    data: tf.keep(tf.clone(weight.data)),
    trainable: false,
  });
  const copied = (layer: LayerWeights): LayerWeights => {
    const copy = { ...layer };
    for (const [key] of projections) {
      const { lora } = layer[key];
      if (lora) copy[key] = { ...layer[key], lora: { ...lora, a: matrix(lora.a), b: matrix(lora.b) } };
    }
    return copy;
  };
  return { ...weights, layers: weights.layers.map(copied) };
}

/** Every tensor once: those of the model itself, and those of its adapter. */
export function tensorsOf(weights: TransformerWeights): { base: tf.Tensor[]; adapter: tf.Tensor[] } {
  const base = new Set<tf.Tensor>();
  const adapter = new Set<tf.Tensor>();
  const matrix = (weight: Weight, into: Set<tf.Tensor>): void => {
    into.add(weight.data);
    if (weight.format === 'int8') into.add(weight.scales);
  };
  matrix(weights.embedding, base);
  matrix(weights.head, base);
  base.add(weights.finalNorm);
  for (const layer of weights.layers) {
    for (const vector of [layer.inputNorm, layer.qNorm, layer.kNorm, layer.postNorm]) {
      if (vector) base.add(vector);
    }
    for (const [key] of projections) {
      const { weight, bias, lora } = layer[key];
      matrix(weight, base);
      if (bias) base.add(bias);
      if (lora) {
        matrix(lora.a, adapter);
        matrix(lora.b, adapter);
      }
    }
  }
  return { base: [...base], adapter: [...adapter] };
}

export function disposeWeights(weights: TransformerWeights): void {
  const { base, adapter } = tensorsOf(weights);
  for (const tensor of [...base, ...adapter]) tensor.dispose();
}
