/** Which tensors a checkpoint of an architecture holds, and the check that a file has them before any is read. */
import { MarbleError } from '../error';
import type { ModelConfig } from './config';
import type { TensorEntry } from './safetensors';

export interface ExpectedTensor {
  name: string;
  shape: readonly number[];
}

/** Tensors that older tools saved beside the weights and that nothing reads. */
const IGNORED = [/\.rotary_emb\.inv_freq$/, /\.self_attn\.(masked_)?bias$/];

/** Every tensor of the model under its name in the checkpoint, embedding first, head last. */
export function expectedTensors(config: ModelConfig): ExpectedTensor[] {
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize, vocabularySize } = config;
  const layer = (index: number): ExpectedTensor[] => {
    const at = (name: string, ...shape: number[]): ExpectedTensor => ({
      name: `model.layers.${index}.${name}`,
      shape,
    });
    return [
      at('input_layernorm.weight', hiddenSize),
      at('self_attn.q_proj.weight', heads * headDim, hiddenSize),
      at('self_attn.k_proj.weight', kvHeads * headDim, hiddenSize),
      at('self_attn.v_proj.weight', kvHeads * headDim, hiddenSize),
      ...(config.attentionBias
        ? [
            at('self_attn.q_proj.bias', heads * headDim),
            at('self_attn.k_proj.bias', kvHeads * headDim),
            at('self_attn.v_proj.bias', kvHeads * headDim),
          ]
        : []),
      at('self_attn.o_proj.weight', hiddenSize, heads * headDim),
      ...(config.headNorm
        ? [at('self_attn.q_norm.weight', headDim), at('self_attn.k_norm.weight', headDim)]
        : []),
      at('post_attention_layernorm.weight', hiddenSize),
      at('mlp.gate_proj.weight', intermediateSize, hiddenSize),
      at('mlp.up_proj.weight', intermediateSize, hiddenSize),
      at('mlp.down_proj.weight', hiddenSize, intermediateSize),
    ];
  };
  return [
    { name: 'model.embed_tokens.weight', shape: [vocabularySize, hiddenSize] },
    ...Array.from({ length: config.layers }, (_, index) => layer(index)).flat(),
    { name: 'model.norm.weight', shape: [hiddenSize] },
    ...(config.tiedHead ? [] : [{ name: 'lm_head.weight', shape: [vocabularySize, hiddenSize] }]),
  ];
}

function refuse(kind: string, message: string): MarbleError {
  return new MarbleError(
    `model/tensor-${kind}`,
    message,
    'config.json and the weights belong to different models, or a part is missing: fetch both from one revision.',
  );
}

/**
 * Checks a checkpoint's table against the architecture; no tensor is read.
 *
 * A second copy of a tied head and saved rotary frequencies are let be; any other tensor that nothing would read is
 * refused, since a bias or a norm that is left out changes the model's answers.
 *
 * @throws MarbleError `model/tensor-missing`, `model/tensor-shape`, `model/tensor-dtype`, `model/tensor-unknown`
 */
export function checkTensors(config: ModelConfig, entries: ReadonlyMap<string, TensorEntry>): void {
  const expected = new Map(expectedTensors(config).map(({ name, shape }) => [name, shape]));
  for (const [name, shape] of expected) {
    const entry = entries.get(name);
    if (entry === undefined) {
      throw refuse('missing', `The checkpoint has no tensor ${name} (${config.architecture}).`);
    }
    if (entry.shape.length !== shape.length || entry.shape.some((size, axis) => size !== shape[axis])) {
      throw refuse(
        'shape',
        `Tensor ${name} has shape [${entry.shape.join(', ')}]; config.json asks for [${shape.join(', ')}].`,
      );
    }
    if (!['BF16', 'F16', 'F32'].includes(entry.dtype)) {
      throw refuse('dtype', `Tensor ${name} is ${entry.dtype}; Marble reads BF16, F16 and F32 weights.`);
    }
  }
  for (const name of entries.keys()) {
    const spare = name === 'lm_head.weight' || IGNORED.some((pattern) => pattern.test(name));
    if (!expected.has(name) && !spare) {
      throw refuse(
        'unknown',
        `The checkpoint has a tensor ${JSON.stringify(name)} that Marble would not use.`,
      );
    }
  }
}
