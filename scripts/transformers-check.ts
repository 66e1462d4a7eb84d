/**
 * What Hugging Face's transformers and PEFT are to find again: small random models of every kind, what the kernels make of
 * them, and what they write. `transformers_check.py` reads it and compares.
 *
 *   node scripts/run.mjs scripts/transformers-check.ts .cache/transformers
 *   python scripts/transformers_check.py .cache/transformers        (torch, transformers and peft)
 */
import '../tests/fixtures/node-webgpu';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEngine } from '../src/gpu/engine';
import { loadPolicy } from '../src/model/load-policy';
import type { Policy } from '../src/model/policy';
import { createRandom } from '../src/random';
import { randomCheckpoint } from '../tests/fixtures/random-checkpoint';

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: node scripts/run.mjs scripts/transformers-check.ts <folder>');

const qwen2 = { architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2' };
const qwen3 = { architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3', attention_bias: false };
const llama = { architectures: ['LlamaForCausalLM'], model_type: 'llama', attention_bias: false };

/** [hidden, layers, heads, key/value heads, head width, feed-forward width, vocabulary] */
type Sizes = readonly [number, number, number, number, number, number, number];

const shaped = ([hidden, layers, heads, kvHeads, headDim, intermediate, vocabulary]: Sizes) => ({
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: kvHeads,
  head_dim: headDim,
  intermediate_size: intermediate,
  vocab_size: vocabulary,
});

const tied = { tie_word_embeddings: true };
const untied = { tie_word_embeddings: false };
const linear = { rope_type: 'linear', factor: 2 };
const llama3 = {
  rope_type: 'llama3',
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 64,
};

const models: Record<string, Record<string, unknown> & { vocab_size: number }> = {
  'qwen2-tied': { ...qwen2, ...shaped([42, 2, 7, 1, 6, 50, 257]), ...tied, rope_theta: 1e6 },
  'qwen2-untied': { ...qwen2, ...shaped([48, 3, 6, 3, 8, 77, 517]), ...untied, rope_theta: 1e4 },
  'qwen2-linear': {
    ...qwen2,
    ...shaped([24, 2, 3, 1, 8, 33, 99]),
    ...tied,
    rope_theta: 1e4,
    rope_scaling: linear,
  },
  'qwen3-tied': { ...qwen3, ...shaped([32, 2, 5, 1, 10, 33, 131]), ...tied, rope_theta: 1e6 },
  'qwen3-untied': { ...qwen3, ...shaped([50, 2, 6, 2, 18, 68, 1027]), ...untied, rope_theta: 1e4 },
  'llama-untied': { ...llama, ...shaped([42, 2, 3, 1, 14, 50, 257]), ...untied, rope_theta: 1e4 },
  'llama-llama3': {
    ...llama,
    ...shaped([36, 2, 9, 3, 4, 40, 131]),
    ...tied,
    rope_theta: 5e5,
    rope_scaling: llama3,
  },
};

const common = {
  hidden_act: 'silu',
  rms_norm_eps: 1e-6,
  max_position_embeddings: 256,
  bos_token_id: 0,
  eos_token_id: 1,
  torch_dtype: 'float32',
};

const UPDATE = {
  learningRate: 0.02,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};
const TEMPERATURE = 0.8;
const PROMPT_LENGTHS = [10, 20, 30];

/** The gradient of sum of sin(1 + row + 2 t) log p over the response tokens. */
const goBack = (policy: Policy, sequences: number[][]) =>
  policy.backward(sequences, PROMPT_LENGTHS, {
    temperature: TEMPERATURE,
    objective: ({ logprobs }) => ({
      logprobs: logprobs.map((row, index) => row.map((_, t) => Math.sin(1 + index + 2 * t))),
    }),
  });

const plainRows = (rows: readonly Float32Array[]): number[][] => rows.map((row) => Array.from(row));
const plainTensors = (tensors: Record<string, Float32Array>): Record<string, number[]> =>
  Object.fromEntries(Object.entries(tensors).map(([name, values]) => [name, Array.from(values)]));

async function write(target: string, files: Record<string, Blob>): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const [name, file] of Object.entries(files)) await writeFile(join(target, name), await file.bytes());
}

const engine = await openEngine({ backend: 'webgpu' });
for (const [index, [name, special]] of Object.entries(models).entries()) {
  const random = createRandom(91, index);
  const source = randomCheckpoint({ ...common, ...special }, random);
  const sequences = PROMPT_LENGTHS.map(() =>
    Array.from({ length: 90 }, () => random.integer(special.vocab_size)),
  );
  const target = join(folder, name);
  await write(target, source.files);

  const full = await loadPolicy(engine, source, { weights: 'f32' });
  const logits = plainRows(await full.logits(sequences));
  await goBack(full, sequences);
  const gradients = plainTensors(await full.gradients());
  await full.update(UPDATE);
  const trained = plainRows(await full.logits(sequences));
  await write(join(target, 'trained'), await full.exportModel());
  full.dispose();

  const adapted = await loadPolicy(engine, source, { weights: 'f32', lora: { rank: 8, alpha: 16, seed: 3 } });
  for (let update = 0; update < 2; update++) {
    await goBack(adapted, sequences);
    await adapted.update(UPDATE);
  }
  await write(join(target, 'adapter'), await adapted.exportAdapter());
  const { logprobs, entropies } = await goBack(adapted, sequences);
  const found = {
    sequences,
    promptLengths: PROMPT_LENGTHS,
    temperature: TEMPERATURE,
    logits,
    gradients,
    trained,
    adapted: plainRows(await adapted.logits(sequences)),
    logprobs: plainRows(logprobs),
    entropies: plainRows(entropies),
    adapterGradients: plainTensors(await adapted.gradients()),
  };
  adapted.dispose();
  await writeFile(join(target, 'found.json'), JSON.stringify(found));
  console.log(`${name}: written`);
}
engine.dispose();
process.exit(0);
