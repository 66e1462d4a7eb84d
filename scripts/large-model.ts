/**
 * A checkpoint of Qwen2.5-0.5B's true shape on Node's WebGPU: loads it, gives logits, samples, takes one LoRA step, and
 * says what each took and what it held on the device. `scripts/make-checkpoint.ts` makes a random one.
 *
 *   node scripts/run.mjs scripts/large-model.ts [--model .cache/random-0.5b] [--weights bf16]
 */
import '../tests/fixtures/node-webgpu';
import { openAsBlob } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadPolicy, openEngine } from '../src/index';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: '.cache/random-0.5b' },
    weights: { type: 'string', default: 'bf16' },
  },
});

const engine = await openEngine({ backend: 'webgpu' });
const say = (what: string, started: number, figures: Record<string, unknown> = {}): void => {
  const { weights, adapter, optimiser, cache, activations, peak } = engine.memory();
  const megabytes = Object.fromEntries(
    Object.entries({ weights, adapter, optimiser, cache, activations, peak }).map(([owner, bytes]) => [
      owner,
      Math.round(bytes / 1e6),
    ]),
  );
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  console.log(JSON.stringify({ what, seconds, ...figures, megabytes }));
};

let started = performance.now();
const files = {
  'config.json': await openAsBlob(`${values.model}/config.json`),
  'model.safetensors': await openAsBlob(`${values.model}/model.safetensors`),
};
const policy = await loadPolicy(
  engine,
  { files },
  { lora: { rank: 16, alpha: 32 }, weights: values.weights as 'bf16' | 'int8' | 'f32' },
);
await engine.check();
say('load', started, { adapter: engine.capabilities?.adapterName });

started = performance.now();
const prompt = Array.from({ length: 32 }, (_, position) => (position * 7919) % policy.config.vocabularySize);
const [logits] = await policy.logits([prompt]);
say('logits of 32 tokens', started, { finite: logits.every((value) => Number.isFinite(value)) });

started = performance.now();
const [completion] = await policy.generate([prompt], {
  samplesPerPrompt: 1,
  maxNewTokens: 16,
  temperature: 1,
  seed: 1,
  stopIds: [],
});
say('sample 16 tokens', started, { tokens: completion.tokens });

started = performance.now();
const sequence = [...prompt, ...completion.tokens];
const { logprobs } = await policy.backward([sequence], [prompt.length], {
  objective: (tokens) => ({ logprobs: tokens.logprobs.map((row) => row.map(() => -1 / 16)) }),
});
const { gradNorm, applied } = await policy.update({
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
});
const apart = Math.max(...logprobs[0].map((value, token) => Math.abs(value - completion.logprobs[token])));
say('one LoRA step', started, { gradNorm, applied, samplerAndTrainerApart: apart });
policy.dispose();
engine.dispose();
process.exit(0);
