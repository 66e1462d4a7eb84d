/**
 * Makes models on the project's own engine: random weights from a seed, a recipe of `src/rl/warm-start/warm-start.ts`, and the files
 * that Hugging Face's loaders read, with a model card that says what was run.
 *
 *   npm run pretrain -- --model micro --seed 1 [--backend wasm] [--out public/models/micro]
 *     [--goal 0.9]    micro, nano: ends at another sampled accuracy: 0.9 makes a competent start
 *     [--recipe order-1]    goes on from the shipped nano with full traces of order-1 stories alone: with
 *                           `--model nano --seed 1001 --out public/models/nano-order-1` the third embedded model
 *   npm run pretrain -- --model swap-12k|swap-25k|swap-100k|swap-398k|hitom-mini --seed 1 [--steps 1000] [--rate 1e-3] [--out folder]
 *     [--state file]    is written every 50 steps, and gone on from where it is there
 *     [--until 1000]    ends after so many of the steps, wherever the learning rate is then
 *
 * `--size` is another name of `--model`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine, type BackendName } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import type { StepRecord } from '../../src/run/record/events';
import { warmStart, type WarmStartReport } from '../../src/rl/warm-start/warm-start';
import { modelFiles } from './model-files';
import { newModel, parameterCount, tokenizerFilesOf, type NewModel } from './model-shapes';
import { planOf } from './pretraining-plans';
import { restoreState, saveState } from './pretraining-state';

const SAVED_EVERY = 50;

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    size: { type: 'string' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string' },
    rate: { type: 'string' },
    until: { type: 'string' },
    backend: { type: 'string', default: 'wasm' },
    goal: { type: 'string' },
    recipe: { type: 'string' },
    state: { type: 'string' },
    out: { type: 'string' },
  },
});
const seed = Number(values.seed);
const plan = planOf({
  model: values.model ?? values.size ?? 'micro',
  seed,
  steps: values.steps === undefined ? undefined : Number(values.steps),
  rate: values.rate === undefined ? undefined : Number(values.rate),
  goal: values.goal === undefined ? undefined : Number(values.goal),
  recipe: values.recipe,
});
const { name, vocabulary, recipe } = plan;
if (values.state !== undefined && recipe.stages.length > 1) {
  throw new Error('--state is for recipes of one stage.');
}

if (values.backend === 'webgpu') await import('../../tests/fixtures/node-webgpu');
const started = performance.now();
const engine = await openEngine({ backend: values.backend as BackendName });
const model: NewModel =
  plan.from === undefined
    ? await newModel(engine, plan.shape, vocabulary, seed, plan)
    : {
        policy: await loadPolicy(engine, { files: await modelFiles(plan.from) }),
        tokenizerFiles: tokenizerFilesOf(vocabulary),
      };
const { policy } = model;
const parameters = parameterCount(policy);
console.log(
  `${name}: ${parameters} parameters, vocabulary ${vocabulary.length}, seed ${seed}, ${engine.backend}`,
);

const { state } = values;
const signature = JSON.stringify({ name, recipe });
const done = state === undefined ? null : await restoreState(state, policy, signature);
if (done !== null) console.log(`goes on after step ${done.steps}`);
const report = await warmStart(policy, recipe, {
  done: done ?? undefined,
  until: Number(values.until ?? Infinity),
  onStep: async (record) => {
    log(record);
    const { step: steps, num_tokens: tokens } = record;
    if (state !== undefined && steps % SAVED_EVERY === 0) {
      await saveState(state, policy, { steps, tokens, recipe: signature });
    }
  },
});
const seconds = (performance.now() - started) / 1000;
console.log(JSON.stringify({ model: name, seed, parameters, seconds: Math.round(seconds), ...report }));
if (values.out !== undefined) await save(values.out, report);
engine.dispose();

function log({ step, loss, num_tokens: tokens, accuracy, format, ...rest }: StepRecord): void {
  if (step % 20 !== 0 && accuracy === undefined) return;
  const look =
    accuracy === undefined
      ? ''
      : ` sampled accuracy ${accuracy.toFixed(3)} format ${format.toFixed(3)} length ${rest['completions/mean_length'].toFixed(1)}`;
  console.log(`step ${step} tokens ${tokens} loss ${loss.toFixed(4)}${look}`);
}

async function save(folder: string, result: WarmStartReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files: Record<string, Blob | string> = {
    ...(await policy.exportModel()),
    ...model.tokenizerFiles,
    'README.md': modelCard(folder, result),
  };
  for (const [file, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? content : new Uint8Array(await content.arrayBuffer());
    await writeFile(`${folder}/${file}`, bytes);
  }
}

function modelCard(folder: string, result: WarmStartReport): string {
  const { config } = policy;
  const options = (['steps', 'rate', 'until', 'goal', 'recipe'] as const)
    .filter((option) => values[option] !== undefined)
    .map((option) => ` --${option} ${values[option]}`)
    .join('');
  const { accuracy, format, meanLength } = result;
  const hasGoal = recipe.stages.some(({ goal }) => goal !== undefined);
  const end = hasGoal
    ? `\n| at the end | sampled accuracy ${accuracy.toFixed(3)}, format ${format.toFixed(3)}, mean length ${meanLength.toFixed(1)} tokens |`
    : '';
  const whole = recipe.stages.reduce((sum, { steps }) => sum + steps, 0);
  const cutShort = values.until === undefined ? '' : ` of ${whole}`;
  return `---
license: apache-2.0
pipeline_tag: text-generation
---

# Marble ${basename(folder)}

A toy: ${parameters} parameters in the Qwen2 layout, trained from ${plan.from === undefined ? 'random weights' : `the weights of Marble ${name}`} on ${plan.trainedOn}
(${vocabulary.length} words, no data of others). ${plan.purpose}

| | |
|---|---|
| made by | \`npm run pretrain -- --model ${name} --seed ${seed}${options} --out ${folder}\` |
| architecture | hidden ${config.hiddenSize}, ${config.layers} layers, ${config.heads} heads, FFN ${config.intermediateSize}, tied embedding |
| training | ${result.steps}${cutShort} steps of ${recipe.batch} examples, ${result.tokens} tokens, AdamW ${recipe.adamw.learningRate} |${end}

${plan.ending}
`;
}
