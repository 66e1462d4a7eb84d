/**
 * The table of a model's tensors: their names in the checkpoint, their shapes and their fields in `LayerWeights`. Loading,
 * checking, training and exporting use it.
 */
import { MarbleError } from '../../base/error';
import type { ModelConfig } from '../config';
import { elementsOf, type Checkpoint } from './safetensors';
import { projectionFields, type NormField, type ProjectionField } from '../weights';

export interface ExpectedTensor {
  name: string;
  shape: readonly number[];
}

export interface NormTensor extends ExpectedTensor {
  field: NormField;
  part: 'norm';
}

export interface ProjectionTensor extends ExpectedTensor {
  field: ProjectionField;
  part: 'weight' | 'bias';
  /** Index among the projections of the field. */
  segment: number;
  /** First row in the joint matrix of the field. */
  firstRow: number;
}

/** Names of the projections with the same input, in the order of their rows. They are computed as one product. */
const projections: Record<ProjectionField, readonly string[]> = {
  qkv: ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'],
  o: ['self_attn.o_proj'],
  gateUp: ['mlp.gate_proj', 'mlp.up_proj'],
  down: ['mlp.down_proj'],
};

/** Outputs of each projection of a field, and the inputs, which they share. */
export function projectionShape(
  field: ProjectionField,
  { hiddenSize, heads, kvHeads, headDim, intermediateSize }: ModelConfig,
): { segments: readonly number[]; inputs: number } {
  switch (field) {
    case 'qkv':
      return { segments: [heads, kvHeads, kvHeads].map((count) => count * headDim), inputs: hiddenSize };
    case 'o':
      return { segments: [hiddenSize], inputs: heads * headDim };
    case 'gateUp':
      return { segments: [intermediateSize, intermediateSize], inputs: hiddenSize };
    case 'down':
      return { segments: [hiddenSize], inputs: intermediateSize };
  }
}

function norm(field: NormField, name: string, size: number): NormTensor {
  return { field, part: 'norm', name: `${name}.weight`, shape: [size] };
}

function projection(field: ProjectionField, config: ModelConfig): ProjectionTensor[] {
  const { segments, inputs } = projectionShape(field, config);
  let rows = 0;
  return segments.flatMap((outputs, segment) => {
    const name = projections[field][segment];
    const place = { field, segment, firstRow: rows };
    rows += outputs;
    const biased = field === 'qkv' && config.attentionBias;
    return [
      { ...place, part: 'weight' as const, name: `${name}.weight`, shape: [outputs, inputs] },
      ...(biased ? [{ ...place, part: 'bias' as const, name: `${name}.bias`, shape: [outputs] }] : []),
    ];
  });
}

/** A layer's tensors, with names relative to `model.layers.<index>`, in the order of a run's checkpoints. */
export function layerTensors(config: ModelConfig): (NormTensor | ProjectionTensor)[] {
  const { hiddenSize, headDim } = config;
  return [
    norm('inputNorm', 'input_layernorm', hiddenSize),
    ...projectionTensors(config),
    ...(config.headNorm
      ? [norm('qNorm', 'self_attn.q_norm', headDim), norm('kNorm', 'self_attn.k_norm', headDim)]
      : []),
    norm('postNorm', 'post_attention_layernorm', hiddenSize),
  ];
}

/** Tensors of a layer's projections. */
export function projectionTensors(config: ModelConfig): ProjectionTensor[] {
  return projectionFields.flatMap((field) => projection(field, config));
}

/** All tensors of the model under their names in the checkpoint, embedding first, head last. */
export function expectedTensors(config: ModelConfig): ExpectedTensor[] {
  const { hiddenSize, vocabularySize } = config;
  const layer = layerTensors(config);
  return [
    { name: 'model.embed_tokens.weight', shape: [vocabularySize, hiddenSize] },
    ...Array.from({ length: config.layers }, (_, index) =>
      layer.map(({ name, shape }) => ({ name: `model.layers.${index}.${name}`, shape })),
    ).flat(),
    { name: 'model.norm.weight', shape: [hiddenSize] },
    ...(config.tiedHead ? [] : [{ name: 'lm_head.weight', shape: [vocabularySize, hiddenSize] }]),
  ];
}

export function parameterCount(config: ModelConfig): number {
  return expectedTensors(config).reduce((sum, tensor) => sum + elementsOf(tensor), 0);
}

/** Unused tensors in checkpoints of older tools. */
const IGNORED = [/\.rotary_emb\.inv_freq$/, /\.self_attn\.(masked_)?bias$/];

function refuse(kind: string, message: string): MarbleError {
  return new MarbleError(
    `model/tensor-${kind}`,
    message,
    'config.json and the weights belong to different models, or a file is missing: fetch all files from one revision.',
  );
}

/**
 * Checks a checkpoint's table against the architecture without reading any tensor.
 *
 * It ignores an equal copy of a tied head (`resolveHead`) and saved rotary frequencies. Every other unused tensor causes an error,
 * since ignoring a bias or a norm would change the model's output.
 *
 * @throws MarbleError `model/tensor-missing`, `model/tensor-shape`, `model/tensor-dtype`, `model/tensor-unknown`
 */
export function checkTensors(config: ModelConfig, checkpoint: Checkpoint): void {
  const expected = new Map(expectedTensors(config).map(({ name, shape }) => [name, shape]));
  for (const [name, shape] of expected) {
    const entry = checkpoint.get(name);
    if (entry === undefined) {
      throw refuse('missing', `The checkpoint has no tensor ${name} (${config.architecture}).`);
    }
    if (entry.shape.length !== shape.length || entry.shape.some((size, axis) => size !== shape[axis])) {
      throw refuse(
        'shape',
        `Tensor ${name} has shape [${entry.shape.join(', ')}]; config.json requires [${shape.join(', ')}].`,
      );
    }
    if (!['BF16', 'F16', 'F32'].includes(entry.dtype)) {
      throw refuse('dtype', `Tensor ${name} is ${entry.dtype}; Marble reads BF16, F16 and F32 weights.`);
    }
  }
  for (const name of checkpoint.keys()) {
    const spare = name === 'lm_head.weight' || IGNORED.some((pattern) => pattern.test(name));
    if (!expected.has(name) && !spare) {
      throw refuse(
        'unknown',
        `The checkpoint has a tensor ${JSON.stringify(name)} that Marble would not use.`,
      );
    }
  }
}
