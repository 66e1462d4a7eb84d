import { describe, expect, it } from 'vitest';
import { policyLoss } from '../../src/objective/loss';
import { encodePrompt } from '../../src/rl/rollout';
import { goldExample } from '../../src/rl/supervised/sft';
import { newTrainerState, readTrainerState } from '../../src/rl/trainer-state';
import { computeAdvantages } from '../../src/objective/advantages';
import type { Checkpoint } from '../../src/run/record/events';
import { verdictOf } from '../../src/run/verdict/verdict';
import type { ItemOutcome } from '../../src/run/verdict/outcomes';
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
const outcome: ItemOutcome = {
  ...{ order: 1, correct: true, easy: true, answers: 4 },
  ...{ trace: 'faithful', thinkTokens: 5 },
};

describe('refused by name:', () => {
  it.each<[string, string, () => unknown]>([
    [
      'a loss with fewer old rows than new ones',
      'rl/bad-loss-input',
      () => policyLoss(row, [], null, row, { name: 'grpo' }),
    ],
    [
      'a loss with too short a row of advantages',
      'rl/bad-loss-input',
      () => policyLoss(row, row, null, [[1]], { name: 'grpo' }),
    ],
    [
      'a KL in the loss without a reference',
      'rl/no-reference',
      () => policyLoss(row, row, null, row, inLoss),
    ],
    [
      'a KL in the reward without a reference',
      'rl/no-reference',
      () => computeAdvantages([{ ...rollout, refLogprobs: undefined }], inReward),
    ],
    [
      'a reward that is not a number',
      'rl/bad-rollout',
      () => computeAdvantages([{ ...rollout, reward: Number.NaN }], inReward),
    ],
    [
      'a mask shorter than its response',
      'rl/bad-rollout',
      () => computeAdvantages([{ ...rollout, mask: [1] }], inReward),
    ],
    [
      'a checkpoint of a later version',
      'rl/checkpoint-version',
      () => readTrainerState({ ...checkpoint, version: 2 as 1 }, config),
    ],
    [
      'a prompt for a model without a tokenizer',
      'rl/no-tokenizer',
      () => encodePrompt({ ...policy, tokenizer: null }, item, 8),
    ],
    [
      'a prompt that leaves no room for an answer',
      'rl/prompt-too-long',
      () => encodePrompt(policy, item, 250),
    ],
    [
      'supervised reasoning on items without gold traces',
      'rl/no-trace',
      () => goldExample(policy, { ...item, traces: undefined }, 'full'),
    ],
    [
      'a verdict on two different sets of items',
      'rl/unpaired',
      () => verdictOf([outcome], [{ ...outcome, order: 2 }], { step: 1, provisional: false }),
    ],
  ])('%s', async (_, code, action) => {
    expect(await refusalOf(action)).toBe(code);
  });

  it('valid input is accepted', async () => {
    const sound = [
      () => policyLoss(row, row, null, row, { name: 'grpo' }),
      () => computeAdvantages([rollout], inReward),
      () => readTrainerState(checkpoint, config),
      () => encodePrompt(policy, item, 8),
      () => goldExample(policy, item, 'full'),
    ];
    for (const action of sound) expect(await refusalOf(action)).toBe('accepted');
  });
});
