/**
 * Makes the embedded models on the project's own engine: a random start from a seed, the warm start of
 * `src/rl/warm-start.ts`, and the files that Hugging Face's loaders read, with a model card that says what was run.
 *
 *   npm run pretrain -- --size micro --seed 1 [--backend wasm] [--out public/models/micro]
 *     [--goal 0.9]    ends at another sampled accuracy: 0.9 makes a competent start
 *     [--recipe order-1]    goes on from the shipped model of this size with full traces of order-1 stories alone:
 *                           with `--size nano --seed 1001 --out public/models/nano-order-1` the third embedded model
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine, type BackendName } from '../src/gpu/engine';
import { buildWeights, randomSupply } from '../src/model/build-weights';
import { parseModelConfig } from '../src/model/config';
import { loadPolicy } from '../src/model/load-policy';
import type { Policy } from '../src/model/policy';
import { createTokenizer } from '../src/model/tokenizer';
import { wordLevelTokenizerJson } from '../src/model/tokenizer-json';
import { createTransformerPolicy } from '../src/model/transformer-policy';
import { orderOneRecipe, warmStart, warmStartRecipe, type WarmStartReport } from '../src/rl/warm-start';
import { nanoVocabulary } from '../src/tom/nano-text';
import { END_TOKEN, PAD_TOKEN } from '../src/tom/special-words';
import { modelFiles } from './model-files';

const sizes = {
  micro: { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 80 },
  nano: { hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 168 },
} as const;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'micro' },
    seed: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'wasm' },
    goal: { type: 'string' },
    recipe: { type: 'string' },
    out: { type: 'string' },
  },
});
const size = values.size as keyof typeof sizes;
if (!(size in sizes)) throw new Error(`--size is ${size}; it is one of ${Object.keys(sizes).join(', ')}.`);
const seed = Number(values.seed);
if (values.recipe !== undefined && values.recipe !== 'order-1') {
  throw new Error(`--recipe is ${values.recipe}; it is order-1, or left out.`);
}
const goesOn = values.recipe === 'order-1';

const vocabulary = nanoVocabulary();
const tokenizerJson = wordLevelTokenizerJson(vocabulary, [PAD_TOKEN, END_TOKEN]);
const tokenizerConfig = { eos_token: END_TOKEN, pad_token: PAD_TOKEN };
const configJson = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  ...sizes[size],
  num_key_value_heads: sizes[size].num_attention_heads,
  vocab_size: vocabulary.length,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  hidden_act: 'silu',
  tie_word_embeddings: true,
  max_position_embeddings: 512,
  torch_dtype: 'float32',
  eos_token_id: vocabulary.indexOf(END_TOKEN),
  pad_token_id: vocabulary.indexOf(PAD_TOKEN),
};

if (values.backend === 'webgpu') await import('../tests/fixtures/node-webgpu');
const started = performance.now();
const engine = await openEngine({ backend: values.backend as BackendName });
const config = parseModelConfig(configJson);
const policy = goesOn
  ? await loadPolicy(engine, { files: await modelFiles(`public/models/${size}`) })
  : createTransformerPolicy({
      engine,
      config,
      weights: await buildWeights(config, randomSupply(seed, 1 / Math.sqrt(config.hiddenSize))),
      tokenizer: createTokenizer(tokenizerJson, tokenizerConfig),
      adapter: null,
      configJson,
    });
const parameters = policy.trainable.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
console.log(
  `${size}: ${parameters} parameters, vocabulary ${vocabulary.length}, seed ${seed}, ${engine.backend}`,
);

const goal = values.goal === undefined ? undefined : Number(values.goal);
const recipe = goesOn ? orderOneRecipe(seed, goal) : warmStartRecipe(size, seed, goal);
const run = warmStart(policy, recipe);
let next = await run.next();
while (!next.done) {
  const event = next.value;
  if (event.type === 'step' && (event.record.step % 20 === 0 || 'accuracy' in event.record)) {
    const { step, loss, accuracy, format } = event.record;
    const look =
      accuracy === undefined
        ? ''
        : ` sampled accuracy ${accuracy.toFixed(3)} format ${format.toFixed(3)} length ${event.record['completions/mean_length'].toFixed(1)}`;
    console.log(`step ${step} loss ${loss.toFixed(4)}${look}`);
  }
  next = await run.next();
}
const report = next.value;
const seconds = (performance.now() - started) / 1000;
console.log(JSON.stringify({ size, seed, parameters, seconds: Math.round(seconds), ...report }));
if (values.out !== undefined) await save(policy, values.out, report);
engine.dispose();

async function save(trained: Policy, folder: string, result: WarmStartReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files: Record<string, Blob | string> = {
    ...(await trained.exportModel()),
    'tokenizer.json': `${JSON.stringify(tokenizerJson, null, 1)}\n`,
    'tokenizer_config.json': `${JSON.stringify(tokenizerConfig, null, 2)}\n`,
    'README.md': modelCard(result),
  };
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? content : new Uint8Array(await content.arrayBuffer());
    await writeFile(`${folder}/${name}`, bytes);
  }
}

function modelCard(result: WarmStartReport): string {
  const last = recipe.stages[recipe.stages.length - 1];
  const options = (['goal', 'recipe'] as const)
    .filter((name) => values[name] !== undefined)
    .map((name) => ` --${name} ${values[name]}`)
    .join('');
  return `---
license: apache-2.0
pipeline_tag: text-generation
---

# Marble ${basename(values.out ?? size)}

A toy: ${parameters} parameters in the Qwen2 layout, trained from ${goesOn ? `the weights of Marble ${size}` : 'random weights'} on stories of Marble's own nano world
(${vocabulary.length} words, no data of others). ${goesOn ? 'It follows order-1 stories nearly well, and no others' : 'It reads one kind of story and reasons tersely and not well'}, on purpose: what
reinforcement learning then does to that reasoning is what the page shows. It is of no other use.

| | |
|---|---|
| made by | \`npm run pretrain -- --size ${size} --seed ${seed}${options} --out ${values.out ?? ''}\` |
| architecture | hidden ${config.hiddenSize}, ${config.layers} layers, ${config.heads} heads, FFN ${config.intermediateSize}, tied embedding |
| training | ${result.steps} steps of ${recipe.batch} examples, ${result.tokens} tokens, AdamW ${recipe.adamw.learningRate} |
| at the end | sampled accuracy ${result.accuracy.toFixed(3)}, format ${result.format.toFixed(3)}, mean length ${result.meanLength.toFixed(1)} tokens |

The recipe stops as soon as sampled accuracy reaches ${last.goal?.accuracy} and format ${last.goal?.format}. How this seed was
chosen, and what the other seeds gave, stands in \`docs/experiments/history.md\`.
`;
}
