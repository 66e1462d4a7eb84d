/**
 * Encodes questions and turns items into scored completions. Every prompt is sampled several times in one batch. Each
 * completion is decoded and scored. The length terms are added to its reward as separate parts, which the page shows.
 */
import { extent } from '../base/statistics';
import { MarbleError } from '../base/error';
import type { Completion, GenerateOptions, Policy } from '../model/policy';
import type { Tokenizer } from '../model/tokenizer/tokenizer';
import { customParts, type CustomReward } from '../reward/custom';
import { score } from '../reward/score';
import type { RewardConfig, RewardPart, RewardParts } from '../reward/types';
import type { Item } from '../tom/item';
import { formatPrompt } from '../tom/text/prompts';
import type { AlgorithmConfig } from '../objective/algorithm';
import type { Rollout } from '../run/record/rollout-record';
import type { Sample } from '../run/record/sample';
import type { EvalSuite } from './data';
import type { Run } from './trainer-state';

/** @throws MarbleError `rl/no-tokenizer` for a model without one */
export function tokenizerOf(policy: Policy): Tokenizer {
  if (policy.tokenizer === null) {
    throw new MarbleError(
      'rl/no-tokenizer',
      'This model has no tokenizer, so its prompts cannot be encoded.',
      'Load the model together with its tokenizer.json.',
    );
  }
  return policy.tokenizer;
}

/** Token ids that end a completion, from the tokenizer and from the model's configuration. */
export function stopIdsOf(policy: Policy): number[] {
  return [...new Set([...tokenizerOf(policy).stopIds, ...policy.config.eosTokenIds])];
}

/**
 * Token ids of an item's prompt, including the pre-filled `<think>`. Chat models use their own template.
 *
 * @throws MarbleError `rl/prompt-too-long` if `maxNewTokens` more tokens do not fit
 */
export function encodePrompt(policy: Policy, item: Item, maxNewTokens: number): number[] {
  if (maxNewTokens >= policy.config.maxPositions) {
    throw new MarbleError(
      'rl/prompt-too-long',
      `With ${maxNewTokens} new tokens no prompt fits into the model's ${policy.config.maxPositions} positions.`,
      'Lower the maximum of new tokens (rollout.maxNewTokens).',
    );
  }
  const tokenizer = tokenizerOf(policy);
  const prompt = formatPrompt(item, tokenizer.hasChatTemplate ? 'chat' : 'compact');
  const ids =
    prompt.kind === 'text'
      ? tokenizer.encode(prompt.text, { start: true })
      : tokenizer.chat(prompt.messages, { prefill: prompt.prefill });
  if (ids.length + maxNewTokens > policy.config.maxPositions) {
    throw new MarbleError(
      'rl/prompt-too-long',
      `The prompt of item "${item.id}" has ${ids.length} tokens; with ${maxNewTokens} new ones it exceeds the model's ${policy.config.maxPositions} positions.`,
      'Lower the maximum of new tokens (rollout.maxNewTokens), or choose shorter stories.',
    );
  }
  return ids;
}

/** Lengths of the longest prompt and of the longest response, as arguments for `rows-at-once.ts`. */
export function decodedLengths(
  prompts: readonly (readonly number[])[],
  newTokens: number,
): { promptTokens: number; newTokens: number } {
  const [, longest] = extent(prompts.map(({ length }) => length));
  return { promptTokens: Math.max(0, longest), newTokens };
}

/** Options of `sampleItems`. `onSampled` is awaited between sampling and scoring. */
type SampleOptions = Omit<GenerateOptions, 'stopIds'> & { onSampled?: () => Promise<void> };

/**
 * Samples, decodes and scores completions: sample s of item p has index `p * samplesPerPrompt + s`. Completions await
 * `custom` concurrently, because it may call a server.
 *
 * @throws MarbleError `rl/not-finite`
 */
export async function sampleItems(
  policy: Policy,
  items: readonly Item[],
  { onSampled, ...options }: SampleOptions,
  reward: RewardConfig,
  custom?: CustomReward,
): Promise<Sample[]> {
  const { samplesPerPrompt, maxNewTokens } = options;
  const prompts = items.map((item) => encodePrompt(policy, item, maxNewTokens));
  const completions = await policy.generate(prompts, { ...options, stopIds: stopIdsOf(policy) });
  await onSampled?.();
  requireFiniteLogits(completions);
  const tokenizer = tokenizerOf(policy);
  const samples = completions.map(async ({ tokens, logprobs, finished }, row) => {
    const group = Math.floor(row / samplesPerPrompt);
    const completion = tokenizer.decode(tokens);
    const scored = score(completion, items[group], reward);
    const parts = custom
      ? await customParts(custom, completion, items[group], scored, reward.custom)
      : scored;
    return {
      item: items[group],
      group,
      sample: row % samplesPerPrompt,
      prompt: prompts[group],
      response: tokens,
      samplerLogprobs: logprobs,
      finished,
      completion,
      reward: parts,
      thinkTokens: tokenizer.encode(parts.think).length,
    };
  });
  return Promise.all(samples);
}

/** @throws MarbleError `rl/not-finite`: such completions are no answers of the model, and all of them are alike */
function requireFiniteLogits(completions: readonly Completion[]): void {
  if (!completions.some(({ logprobs }) => logprobs.some(Number.isNaN))) return;
  throw new MarbleError(
    'rl/not-finite',
    'The model computes probabilities that are not finite: its weights are damaged, or too large for its arithmetic.',
    'Take other weights, or another backend. After a training step: start a new run with a lower learning rate or a tighter gradient clip.',
  );
}

/**
 * Adds the length terms to a reward.
 *
 *     overlong = -min(length - (limit - buffer), buffer) / buffer    inside the buffer (DAPO, arXiv 2503.14476)
 *     length   = -penalty * length / limit
 */
export function withLengthTerms(
  { reward, response: { length } }: Pick<Sample, 'reward' | 'response'>,
  limit: number,
  { overlongBuffer, lengthPenalty }: Pick<AlgorithmConfig, 'overlongBuffer' | 'lengthPenalty'>,
): RewardParts {
  const terms: RewardPart[] = [];
  if (overlongBuffer > 0) {
    const over = Math.max(0, length - (limit - overlongBuffer));
    const value = -Math.min(over, overlongBuffer) / overlongBuffer;
    terms.push({
      name: 'overlong',
      value,
      reason: `${over} tokens into the last ${overlongBuffer} of ${limit}`,
    });
  }
  if (lengthPenalty > 0) {
    terms.push({
      name: 'length',
      value: (-lengthPenalty * length) / limit,
      reason: `${length} of at most ${limit} tokens`,
    });
  }
  return {
    ...reward,
    total: terms.reduce((sum, { value }) => sum + value, reward.total),
    parts: [...reward.parts, ...terms],
  };
}

/** The record of a sample for the store and the page. */
export function toRollout(sample: Sample, step: number, prompt: string, advantage: number): Rollout {
  const { item, group, completion, response, finished, reward } = sample;
  return {
    step,
    group,
    sample: sample.sample,
    itemId: item.id,
    prompt,
    completion,
    order: item.order,
    goldAnswer: item.answer,
    shortcutAnswer: item.shortcut ?? null,
    tokens: response.length,
    finished,
    reward,
    advantage,
  };
}

/** True if all samples of a group earned the same reward. Such a group gives no advantage signal. */
export function isUniform(group: readonly Sample[]): boolean {
  return group.every(({ reward }) => reward.total === group[0].reward.total);
}

/**
 * Prompts of a test: its fixed set, the held-out sets, the hard questions and the other tasks.
 *
 * @throws MarbleError `model/unknown-word`, `rl/prompt-too-long`
 */
export function suitePrompts(
  policy: Policy,
  { items, heldOut, hard, tasks, maxNewTokens }: EvalSuite,
): number[][] {
  return [...items, ...Object.values(heldOut).flat(), ...hard, ...tasks].map((item) =>
    encodePrompt(policy, item, maxNewTokens),
  );
}

/** Maximum of training questions that are encoded before a run. Only a small vocabulary requires all of a data set. */
const ENCODED = 2048;

/**
 * Checks before a run that the model can encode every question of its evaluations and of its training set.
 * Without the check a run would train until the evaluation that fails.
 *
 * @param trained size of the imported data set; 0 for generated stories, which resemble those of the test
 * @throws MarbleError `model/unknown-word`, `rl/prompt-too-long`, `rl/no-tokenizer`
 */
export function requireReadable({ policy, source, config }: Run, trained: number): void {
  const { suite } = source;
  const isSmall = !tokenizerOf(policy).hasChatTemplate;
  const count = Math.max(1, isSmall ? trained : Math.min(trained, ENCODED));
  const newTokens = config.method === 'rl' ? suite.maxNewTokens : 1; // gold completions may be shorter
  try {
    for (const item of source.training(0, count)) encodePrompt(policy, item, newTokens);
    suitePrompts(policy, suite);
  } catch (thrown) {
    if (!(thrown instanceof MarbleError) || thrown.code !== 'model/unknown-word') throw thrown;
    const { model } = config;
    const name = model.kind === 'hub' ? model.repository : model.name;
    throw new MarbleError(
      thrown.code,
      `The model ${name} cannot read a question of this run. ${thrown.message}`,
      'Choose other questions (data.source, evaluation.taskItems, evaluation.imported), or a model that reads English, such as that of the preset first-run-135m.',
      { cause: thrown },
    );
  }
}
