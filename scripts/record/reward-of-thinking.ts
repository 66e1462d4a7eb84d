import { generateDataset, score, type Policy } from '../../src/index';
import { mean } from '../../src/base/statistics';
import { encodePrompt, stopIdsOf, tokenizerOf } from '../../src/rl/rollout';
import type { StartReward } from '../../src/run/recording/paid-step';
import type { DataSpec, Item } from '../../src/tom/item';

const SEED = 20_261_123;
/** Items answered at once. */
const ROWS = 128;
const MAX_NEW_TOKENS = 48;

/** The world that study 2 trains in. */
const world: DataSpec = {
  source: 'swap',
  orders: [1, 2, 3],
  dropShortcutRight: 0,
  reentry: false,
  rho: 0.82,
};

/**
 * Mean sampled reward of a policy on 500 items, with a full trace forced open and with
 * the think block forced empty. No training run draws these items.
 */
export async function rewardOfThinking(policy: Policy): Promise<StartReward> {
  const items = generateDataset({ ...world, count: 500, seed: SEED + 1, offset: 2 ** 31 });
  const empty = await meanForcedReward(policy, items, '</think>');
  return { empty, full: await meanForcedReward(policy, items, 'start'), count: items.length };
}

/** Mean reward `logic-rl` of answers that begin with `opening`, sampled at temperature 1. */
async function meanForcedReward(policy: Policy, items: readonly Item[], opening: string): Promise<number> {
  const tokenizer = tokenizerOf(policy);
  const forced = tokenizer.encode(opening);
  const rewards: number[] = [];
  for (let first = 0; first < items.length; first += ROWS) {
    const batch = items.slice(first, first + ROWS);
    const prompts = batch.map((item) => [...encodePrompt(policy, item, MAX_NEW_TOKENS), ...forced]);
    const completions = await policy.generate(prompts, {
      samplesPerPrompt: 1,
      maxNewTokens: MAX_NEW_TOKENS - forced.length,
      temperature: 1,
      seed: SEED + first,
      stopIds: stopIdsOf(policy),
    });
    completions.forEach(({ tokens }, row) => {
      const answer = tokenizer.decode([...forced, ...tokens]);
      rewards.push(score(answer, batch[row], { preset: 'logic-rl' }).total);
    });
  }
  return mean(rewards);
}
