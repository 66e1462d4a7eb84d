/** Answers a visitor's question: once greedily, and several times by sampling. */
import type { Policy } from '../../model/policy';
import { checkKeys } from '../../base/known-keys';
import type { RunConfig } from '../../run/config/config';
import type { Rollout } from '../../run/record/rollout-record';
import type { Item } from '../../tom/item';
import { withPrompt } from '../data';
import { encodePrompt, sampleItems, tokenizerOf, toRollout } from '../rollout';

export interface Answers {
  greedy: Rollout;
  sampled: Rollout[];
}

/** Separate from the streams of training and evaluation, which begin at 0 and 2^31. */
const STREAM = 2 ** 32 - 1;

/**
 * Answers one question: once greedily, and `samples` times at the run's temperature.
 *
 * @param options.step number of training steps of the policy, recorded in the answers
 * @param options.seed seed of the samples; the greedy answer does not depend on it
 * @throws MarbleError `model/unknown-word`, `rl/prompt-too-long`
 */
export async function answerQuestion(
  policy: Policy,
  question: Item,
  config: RunConfig,
  options: { samples: number; seed: number; step: number },
): Promise<Answers> {
  checkKeys('answerQuestion', options, { samples: true, seed: true, step: true });
  const { samples, seed, step } = options;
  const { rollout, reward } = config;
  const item = withPrompt(question, config);
  const { maxNewTokens } = rollout;
  const drawn = { maxNewTokens, seed, stream: STREAM };
  const read = await policy.readPrompts([encodePrompt(policy, item, maxNewTokens)]);
  const answer = (samplesPerPrompt: number, temperature: number) =>
    sampleItems(policy, [item], { ...drawn, read, samplesPerPrompt, temperature }, reward);
  try {
    const [greedy] = await answer(1, 0);
    const sampled = await answer(samples, rollout.temperature);
    const prompt = tokenizerOf(policy).decode(greedy.prompt);
    const [first, ...others] = [greedy, ...sampled].map((sample) => toRollout(sample, step, prompt, 0));
    return { greedy: first, sampled: others };
  } finally {
    read.dispose();
  }
}
