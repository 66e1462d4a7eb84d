/**
 * Pretrains models on the project's own engine: random weights from a seed, a recipe of
 * `src/rl/supervised/pretraining.ts`, and the files that Hugging Face's loaders read, with a model card that describes
 * the run.
 *
 *     npm run pretrain -- --model swap-12k|swap-25k|swap-100k|swap-398k|hitom-mini --seed 1 [--steps 1000] [--rate 1e-3] [--out folder]
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine, type BackendName } from '../../src/gpu/engine';
import type { StepRecord } from '../../src/run/record/events';
import { pretrain } from '../../src/rl/supervised/pretraining';
import { writeModel } from './model-folder';
import { newModel, parameterCount } from './model-shapes';
import { planOf } from './pretraining-plans';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'swap-25k' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string' },
    rate: { type: 'string' },
    backend: { type: 'string', default: 'wasm' },
    out: { type: 'string' },
  },
});
const seed = Number(values.seed);
const plan = planOf({
  model: values.model,
  seed,
  steps: values.steps === undefined ? undefined : Number(values.steps),
  rate: values.rate === undefined ? undefined : Number(values.rate),
});
const { model: name } = values;
const { vocabulary, recipe } = plan;

if (values.backend === 'webgpu') await import('../../tests/fixtures/webgpu/node-webgpu');
const started = performance.now();
const engine = await openEngine({ backend: values.backend as BackendName });
const model = await newModel(engine, plan.shape, vocabulary, seed, plan.marks);
const { policy } = model;
const parameters = parameterCount(policy);
console.log(
  `${name}: ${parameters} parameters, vocabulary ${vocabulary.length}, seed ${seed}, ${engine.backend}`,
);

const tokens = await pretrain(policy, recipe, { onStep: log });
const seconds = (performance.now() - started) / 1000;
const { steps } = recipe;
console.log(JSON.stringify({ model: name, seed, parameters, seconds: Math.round(seconds), steps, tokens }));
if (values.out !== undefined) {
  const readme = modelCard(values.out);
  await writeModel(values.out, {
    ...(await policy.exportModel()),
    ...model.tokenizerFiles,
    'README.md': readme,
  });
}
engine.dispose();

function log({ step, loss, num_tokens: tokens }: StepRecord): void {
  if (step % 20 === 0) console.log(`step ${step} tokens ${tokens} loss ${loss.toFixed(4)}`);
}

function modelCard(folder: string): string {
  const { config } = policy;
  const options = (['steps', 'rate'] as const)
    .filter((option) => values[option] !== undefined)
    .map((option) => ` --${option} ${values[option]}`)
    .join('');
  return `---
license: apache-2.0
pipeline_tag: text-generation
---

# Marble ${basename(folder)}

A toy: ${parameters} parameters in the Qwen2 layout, trained from random weights on ${plan.trainedOn}
(${vocabulary.length} words, no data of others). ${plan.purpose}

| | |
|---|---|
| made by | \`npm run pretrain -- --model ${name} --seed ${seed}${options} --out ${folder}\` |
| architecture | hidden ${config.hiddenSize}, ${config.layers} layers, ${config.heads} heads, FFN ${config.intermediateSize}, tied embedding |
| training | ${steps} steps of ${recipe.batch} examples, ${tokens} tokens, AdamW ${recipe.adamw.learningRate} |

The recipe is a fixed number of steps, with warm-up and linear decay of the learning rate.
`;
}
