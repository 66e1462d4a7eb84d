/** Example configurations and presets for tests. */
import { algorithms } from '../../src/objective/algorithm';
import type { RunConfig } from '../../src/run/config/config';

export const example: RunConfig = {
  preset: 'example',
  seed: 1,
  method: 'rl',
  model: { kind: 'embedded', name: 'ladder-25k' },
  training: { mode: 'full' },
  data: { source: 'swap', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false },
  reward: { preset: 'logic-rl' },
  algorithm: algorithms['reinforce++'],
  rollout: { promptsPerStep: 8, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 80 },
  optimizer: {
    learningRate: 0.0015,
    finalFraction: 0.1,
    decay: 'linear',
    warmupSteps: 0,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
    passes: 1,
    miniBatches: 1,
    microBatch: 0,
  },
  steps: 150,
  evaluation: { every: 10, items: 200, seed: 7, patience: 0 },
  checkpointEvery: 10,
};

export const examplePresets = {
  example,
  'example-lora': {
    ...example,
    preset: 'example-lora',
    model: { kind: 'hub', repository: 'Qwen/Qwen2.5-0.5B-Instruct', revision: 'a'.repeat(40) },
    training: { mode: 'lora', rank: 16, alpha: 32 },
  },
} satisfies Record<string, RunConfig>;
