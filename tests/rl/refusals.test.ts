import { describe, expect, it } from 'vitest';
import { policyLoss } from '../../src/objective/loss';
import { encodePrompt } from '../../src/rl/rollout';
import { newTrainerState, readTrainerState } from '../../src/rl/trainer-state';
import { computeAdvantages } from '../../src/objective/advantages';
import type { Checkpoint } from '../../src/run/record/events';
import { refusalOf } from '../model/refusal';
import { itemsOf } from '../tom/items';
import { smallConfig } from './runs';
import { createTablePolicy } from './table-policy';

const config = smallConfig();
const row = [[-1, -2]];
const inLoss = { name: 'grpo', kl: { place: 'loss', coefficient: 0.1 } } as const;
const inReward = { name: 'reinforce++', kl: { place: 'reward', coefficient: 0.1 } } as const;
const rollout = { reward: 1, logprobs: [-1, -2], refLogprobs: [-1, -2], group: 0 };

const policy = createTablePolicy();
const [item] = itemsOf('swap', 1, 1, { orders: [1] });
const numbers = new Float32Array(1);
const checkpoint: Checkpoint = {
  version: 1,
  config,
  step: 1,
  policy: { parameters: numbers, moment1: numbers, moment2: numbers, updates: 1, reference: null },
  trainer: { ...newTrainerState(config) },
};
const infinite = Float32Array.of(Infinity);
const withPolicy = (change: Partial<Checkpoint['policy']>): Checkpoint => ({
  ...checkpoint,
  policy: { ...checkpoint.policy, ...change },
});
const refused: Record<string, Record<string, () => unknown>> = {
  'rl/bad-loss-input': {
    'a loss with fewer old rows than new ones': () => policyLoss(row, [], null, row, { name: 'grpo' }),
    'a loss with too short a row of advantages': () => policyLoss(row, row, null, [[1]], { name: 'grpo' }),
  },
  'rl/no-reference': {
    'a KL in the loss': () => policyLoss(row, row, null, row, inLoss),
    'a KL in the reward': () => computeAdvantages([{ ...rollout, refLogprobs: undefined }], inReward),
  },
  'rl/bad-rollout': {
    'a reward that is not a number': () => computeAdvantages([{ ...rollout, reward: NaN }], inReward),
    'a mask shorter than its response': () => computeAdvantages([{ ...rollout, mask: [1] }], inReward),
  },
  'rl/checkpoint-version': {
    'a checkpoint of a later version': () => readTrainerState({ ...checkpoint, version: 2 as 1 }, config),
  },
  'rl/other-configuration': {
    'a checkpoint of another run': () => readTrainerState(checkpoint, { ...config, seed: 5 }),
  },
  'rl/checkpoint-not-finite': {
    'a checkpoint whose moments are not finite': () =>
      readTrainerState(withPolicy({ moment2: infinite }), config),
    'a checkpoint whose reference is not finite': () =>
      readTrainerState(withPolicy({ reference: infinite }), config),
    'a checkpoint whose KL coefficient is not a number': () =>
      readTrainerState({ ...checkpoint, trainer: { ...checkpoint.trainer, klCoefficient: NaN } }, config),
  },
  'rl/no-tokenizer': {
    'a prompt for a model without one': () => encodePrompt({ ...policy, tokenizer: null }, item, 8),
  },
};

describe.each(Object.entries(refused))('refused by name: %s', (code, actions) => {
  it.each(Object.entries(actions))('%s', async (_, action) => {
    expect(await refusalOf(action)).toBe(code);
  });
});
