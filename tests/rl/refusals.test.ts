import { expect, it } from 'vitest';
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
const advantageOf = (change: object) => computeAdvantages([{ ...rollout, ...change }], inReward);

const [item] = itemsOf('swap', 1, 1, { orders: [1] });
const numbers = new Float32Array(1);
const infinite = Float32Array.of(Infinity);
const policy = { parameters: numbers, moment1: numbers, moment2: numbers, updates: 1, reference: null };
const trainer = { ...newTrainerState(config) };
const noCoefficient = { ...trainer, klCoefficient: NaN };
const withPolicy = (change: object) => ({ policy: { ...policy, ...change } });
const read = (change: Partial<Checkpoint>, of = config) =>
  readTrainerState({ version: 1, config, step: 1, policy, trainer, ...change }, of);

it.each<[code: string, what: string, action: () => unknown]>([
  ['bad-loss-input', 'fewer old rows than new ones', () => policyLoss(row, [], null, row, { name: 'grpo' })],
  ['bad-loss-input', 'a short row of advantages', () => policyLoss(row, row, null, [[1]], { name: 'grpo' })],
  ['no-reference', 'a KL in the loss', () => policyLoss(row, row, null, row, inLoss)],
  ['no-reference', 'a KL in the reward', () => advantageOf({ refLogprobs: undefined })],
  ['bad-rollout', 'a reward that is not a number', () => advantageOf({ reward: NaN })],
  ['bad-rollout', 'a mask shorter than its response', () => advantageOf({ mask: [1] })],
  ['checkpoint-version', 'a checkpoint of a later version', () => read({ version: 2 as 1 })],
  ['other-configuration', 'a checkpoint of another run', () => read({}, { ...config, seed: 5 })],
  ['checkpoint-not-finite', 'moments that are not finite', () => read(withPolicy({ moment2: infinite }))],
  ['checkpoint-not-finite', 'an infinite reference', () => read(withPolicy({ reference: infinite }))],
  ['checkpoint-not-finite', 'a KL coefficient that is not a number', () => read({ trainer: noCoefficient })],
  ['no-tokenizer', 'a prompt', () => encodePrompt({ ...createTablePolicy(), tokenizer: null }, item, 8)],
])('refused by the name rl/%s: %s', async (code, _, action) => {
  expect(await refusalOf(action)).toBe(`rl/${code}`);
});
