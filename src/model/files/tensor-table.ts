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

/** Projections of each field with their outputs, in the order of their rows in the joint matrix, and the inputs, which they share. */
function jointProjections({
  hiddenSize,
  heads,
  kvHeads,
  headDim,
  intermediateSize,
}: ModelConfig): Record<ProjectionField, { inputs: number; outputs: Record<string, number> }> {
  const [queries, keys] = [heads * headDim, kvHeads * headDim];
  return {
    qkv: {
      inputs: hiddenSize,
      outputs: { 'self_attn.q_proj': queries, 'self_attn.k_proj': keys, 'self_attn.v_proj': keys },
    },
    o: { inputs: queries, outputs: { 'self_attn.o_proj': hiddenSize } },
    gateUp: {
      inputs: hiddenSize,
      outputs: { 'mlp.gate_proj': intermediateSize, 'mlp.up_proj': intermediateSize },
    },
    down: { inputs: intermediateSize, outputs: { 'mlp.down_proj': hiddenSize } },
  };
}

/** Tensors of a layer's projections. */
export function projectionTensors(config: ModelConfig): ProjectionTensor[] {
  const joint = jointProjections(config);
  return projectionFields.flatMap((field) => {
    const { inputs, outputs } = joint[field];
    let firstRow = 0;
    return Object.entries(outputs).flatMap(([name, rows], segment): ProjectionTensor[] => {
      const place = { field, segment, firstRow };
      firstRow += rows;
      const weight = { ...place, part: 'weight' as const, name: `${name}.weight`, shape: [rows, inputs] };
      const bias = { ...place, part: 'bias' as const, name: `${name}.bias`, shape: [rows] };
      return field === 'qkv' && config.attentionBias ? [weight, bias] : [weight];
    });
  });
}

function norm(field: NormField, name: string, size: number): NormTensor {
  return { field, part: 'norm', name: `${name}.weight`, shape: [size] };
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
    if (String(entry.shape) !== String(shape)) {
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
