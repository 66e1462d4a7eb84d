/** Answers of a policy to the fixed items of a study. */
import { score, type Policy } from '../../src/index';
import { mean } from '../../src/base/statistics';
import { encodePrompt, sampleItems, stopIdsOf, tokenizerOf } from '../../src/rl/rollout';
import type { Sample } from '../../src/run/record/sample';
import type { Item } from '../../src/tom/item';

/** No training run draws items from this offset on. */
export const OFFSET = 2 ** 31;

/** Settings of all answers in a study. */
export interface Suite {
  seed: number;
  /** Items at once. */
  rows: number;
  maxNewTokens: number;
}

const reward = { preset: 'logic-rl' } as const;

/** One answer to each item; greedy at temperature 0. */
export async function answersTo(
  policy: Policy,
  items: readonly Item[],
  { seed, rows, maxNewTokens }: Suite,
  temperature: number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let first = 0; first < items.length; first += rows) {
    const sampling = { samplesPerPrompt: 1, seed: seed + first, maxNewTokens, temperature };
    samples.push(...(await sampleItems(policy, items.slice(first, first + rows), sampling, reward)));
  }
  return samples;
}

/** Mean sampled reward of answers whose first words are `opening`. */
export async function meanForcedReward(
  policy: Policy,
  items: readonly Item[],
  opening: string,
  { seed, rows, maxNewTokens }: Suite,
  temperature: number,
): Promise<number> {
  const tokenizer = tokenizerOf(policy);
  const forced = tokenizer.encode(opening);
  const rewards: number[] = [];
  for (let first = 0; first < items.length; first += rows) {
    const batch = items.slice(first, first + rows);
    const prompts = batch.map((item) => [...encodePrompt(policy, item, maxNewTokens), ...forced]);
    const completions = await policy.generate(prompts, {
      samplesPerPrompt: 1,
      maxNewTokens: maxNewTokens - forced.length,
      temperature,
      seed: seed + first,
      stopIds: stopIdsOf(policy),
    });
    completions.forEach(({ tokens }, row) => {
      rewards.push(score(tokenizer.decode([...forced, ...tokens]), batch[row], reward).total);
    });
  }
  return mean(rewards);
}
