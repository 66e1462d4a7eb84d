/**
 * What a step of the 0.5B shape holds on the device while it is really taken, against the memory plan: random weights in bf16, LoRA
 * of rank 16, and a batch that a software adapter can bear. Samples up to the first readback, scores by the reference, goes
 * there and back, and updates. Where the adapter cannot bind the whole embedding the vocabulary is cut to what it can.
 */
import * as tf from '@tensorflow/tfjs-core';
import { openEngine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import { planMemory } from '../../src/model/device/memory-plan';
import type { TensorSupply } from '../../src/model/files/build-weights';
import { createRandom } from '../../src/base/random';
import { adamW, policyOf, pulling } from '../../tests/model/tiny';
import { report, round, type Bench } from '../measure';

const ROWS = 2;
const PROMPT = 64;
const LENGTH = 128;
const RANK = 16;

/** Signs and fractions at random, of magnitudes from 1/64 to 1/32. */
function randomBfloat16(): TensorSupply {
  const random = createRandom(1);
  return {
    matrix: (parts) => {
      const outputs = parts.reduce((sum, { shape }) => sum + shape[0], 0);
      const inputs = parts[0].shape[1];
      const words = new Int32Array((outputs * inputs) / 2);
      // one draw gives the words of a long run, each moved on by a multiplication
      let word = random.integer(2 ** 31);
      for (let i = 0; i < words.length; i++) {
        word = (Math.imul(word, 1664525) + 1013904223) | 0;
        words[i] = ((word ^ (word >>> 15)) & 0x807f807f) | 0x3c803c80;
      }
      const data = tf.keep(tf.tensor1d(words, 'int32'));
      return Promise.resolve({ format: 'bf16', data, outputs, inputs });
    },
    vector: (parts) =>
      Promise.resolve(tf.keep(tf.ones<tf.Rank.R1>([parts.reduce((sum, { shape }) => sum + shape[0], 0)]))),
  };
}

export async function benchHeld(bench: Bench): Promise<void> {
  const engine = await openEngine({ backend: 'webgpu' });
  const { adapterName, maxBindingBytes } = engine.capabilities!;
  const whole = parseModelConfig(halfBillionConfig());
  const bindable = Math.floor(maxBindingBytes / (2 * whole.hiddenSize * 128)) * 128;
  const config = { ...whole, vocabularySize: Math.min(whole.vocabularySize, bindable) };
  const started = performance.now();
  const line = (op: string, figures: Record<string, unknown> = {}): void =>
    report(bench, adapterName, {
      op,
      by: 'marble',
      model: '0.5B',
      layers: config.layers,
      vocabulary: config.vocabularySize,
      seconds: round((performance.now() - started) / 1000),
      ...figures,
    });

  const policy = await policyOf(engine, config, randomBfloat16(), { rank: RANK, alpha: 2 * RANK });
  await engine.check();
  line('load');

  engine.resetPeak();
  const ids = (count: number, row: number): number[] =>
    Array.from({ length: count }, (_, i) => 1 + ((i * 37 + row * 101) % 997));
  const prompts = Array.from({ length: ROWS }, (_, row) => ids(PROMPT, row));
  const sampling = policy.generate(prompts, {
    samplesPerPrompt: 1,
    maxNewTokens: LENGTH - PROMPT,
    temperature: 1,
    seed: 1,
    stopIds: [],
    onProgress: (decoded) => (decoded > 0 ? Promise.reject(new Error('Enough.')) : Promise.resolve()),
  });
  await sampling.catch(() => undefined);
  line('sample to the first readback', { peakMegabytes: round(engine.memory().peak / 1e6) });
  const sequences = prompts.map((prompt, row) => [...prompt, ...ids(LENGTH - PROMPT, row + 7)]);
  const lengths = prompts.map(() => PROMPT);
  await policy.logprobs(sequences, lengths, { adapter: 'off' });
  line('reference', { peakMegabytes: round(engine.memory().peak / 1e6) });
  const { logprobs } = await policy.backward(sequences, lengths, pulling(-0.01));
  line('there and back', { finite: logprobs.every((row) => row.every(Number.isFinite)) });
  const { gradNorm } = await policy.update(adamW(1e-4));
  const { peak } = engine.memory();
  const { weights, optimiser, training } = planMemory(config, {
    rank: RANK,
    weights: 'bf16',
    prompts: ROWS,
    samplesPerPrompt: 1,
    promptTokens: PROMPT,
    responseTokens: LENGTH - PROMPT,
  });
  const total = weights + optimiser + training; // nothing is evaluated here
  line('held in a step', {
    rows: ROWS,
    tokens: LENGTH,
    gradNorm,
    peakMegabytes: round(peak / 1e6),
    plannedMegabytes: round(total / 1e6),
    ratio: round(peak / total),
  });
  policy.dispose();
  engine.dispose();
}
