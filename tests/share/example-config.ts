/** Example configuration for tests. Its preset is unknown. */
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';

const base = presets['swap-shortcut'];

export const example: RunConfig = {
  ...base,
  preset: 'example',
  seed: 1,
  data: { source: 'swap', orders: [0, 1, 2, 3], dropShortcutRight: 0, reentry: false },
  rollout: { promptsPerStep: 8, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 80 },
  optimizer: { ...base.optimizer, learningRate: 0.0015 },
  evaluation: { every: 10, items: 200, seed: 7 },
};

/** The example with a model of the Hub. */
export const onHub: RunConfig = {
  ...example,
  model: { kind: 'hub', repository: 'owner/name', revision: '0123456789'.repeat(4) },
};
