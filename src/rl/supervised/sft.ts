/**
 * Supervised fine-tuning (SFT) on gold completions: the warm start, and the control arm that learns answers without ever
 * being rewarded. Token-mean cross-entropy over the completion and its end token:
 *
 *   loss = -1/N sum log p(token),   d loss / d log p = -1/N     N: completion tokens of the batch
 *
 * Left out: loss on the prompt, label smoothing and packing; sequences here are short.
 */
import { MarbleError } from '../../base/error';
import type { AdamWOptions, PassProgress, Policy } from '../../model/policy';
import type { StepRecord } from '../../run/record/events';
import type { Item, Verbosity } from '../../tom/item';
import type { Control } from '../control';
import { encodePrompt, stopIdsOf, tokenizerOf } from '../rollout';
import { adamwAt } from '../schedule';
import type { Run, StepOutcome } from '../trainer-state';
import { keptPart, partsOf } from '../parts';

export interface Example {
  /** Token ids. */
  prompt: number[];
  /** Token ids, the end token included. */
  response: number[];
}

export interface SftReport {
  loss: number;
  /** Token-mean, nats. */
  entropy: number;
  gradNorm: number;
  /** Prompt and completion tokens. */
  tokens: number;
  /** False where loss or gradient were not finite: nothing was changed. */
  applied: boolean;
}

/**
 * An item's gold completion as token ids.
 *
 * @throws MarbleError `rl/no-trace` where the item has none of this verbosity
 */
export function goldExample(policy: Policy, item: Item, verbosity: Verbosity): Example {
  const trace =
    item.traces?.[verbosity] ??
    (verbosity === 'direct' ? `</think> <answer> ${item.answer} </answer>` : undefined);
  if (trace === undefined) {
    throw new MarbleError(
      'rl/no-trace',
      `Item "${item.id}" of ${item.dataset} has no gold trace of verbosity "${verbosity}".`,
      'Learn answers alone, or choose a data set with simulated worlds.',
    );
  }
  const response = [...tokenizerOf(policy).encode(trace), stopIdsOf(policy)[0]];
  return { prompt: encodePrompt(policy, item, response.length), response };
}

/**
 * One optimiser update on a batch of examples.
 *
 * @param options.atOnce examples of like length that run together, so that little is padded; all where left out
 * @param options.onProgress is told the fraction of the work done within; never after the update
 */
export async function sftUpdate(
  policy: Policy,
  examples: readonly Example[],
  adamw: AdamWOptions,
  { atOnce = examples.length, onProgress }: { atOnce?: number; onProgress?: PassProgress } = {},
): Promise<SftReport> {
  const count = examples.reduce((sum, { response }) => sum + response.length, 0);
  const length = ({ prompt, response }: Example): number => prompt.length + response.length;
  const byLength = atOnce < examples.length ? [...examples].sort((a, b) => length(b) - length(a)) : examples;
  const logprobs: Float32Array[] = [];
  const entropies: Float32Array[] = [];
  for (const { sequences, promptLengths, done } of partsOf(byLength, atOnce)) {
    const statistics = await policy.backward(sequences, promptLengths, {
      objective: (tokens) => ({ logprobs: tokens.logprobs.map((row) => row.map(() => -1 / count)) }),
      onProgress: async (inPart) => onProgress?.(done(inPart)),
    });
    for (const row of statistics.logprobs) logprobs.push(row);
    for (const row of statistics.entropies) entropies.push(row);
  }
  const tokenMean = (rows: readonly Float32Array[]): number =>
    rows.reduce((sum, row) => sum + row.reduce((inner, value) => inner + value, 0), 0) / count;
  const loss = -tokenMean(logprobs);
  const report = {
    loss,
    entropy: tokenMean(entropies),
    tokens: examples.reduce((sum, { prompt }) => sum + prompt.length, count),
  };
  if (!Number.isFinite(loss)) return { ...report, gradNorm: NaN, applied: false };
  return { ...report, ...(await policy.update(adamw)) };
}

/** One step of a supervised control arm, on as many gold completions as a rollout batch has. */
export async function sftStep(
  { policy, config, source, state }: Run,
  step: number,
  control: Control,
): Promise<StepOutcome> {
  const count = config.rollout.promptsPerStep * config.rollout.samplesPerPrompt;
  const items = source.training(state.cursor, count);
  state.cursor += count;
  const verbosity = config.method === 'sft-answers' ? 'direct' : 'full';
  const examples = items.map((item) => goldExample(policy, item, verbosity));
  const adamw = adamwAt(step, config);
  const onProgress = (done: number): Promise<void> => control.tick('update', done);
  await onProgress(0);
  const atOnce = keptPart(policy, examples, config);
  const report = await sftUpdate(policy, examples, adamw, { atOnce, onProgress });
  const seconds = control.times().update / 1000;
  state.numTokens += report.tokens;
  const record: StepRecord = {
    step,
    loss: report.loss,
    entropy: report.entropy,
    grad_norm: report.gradNorm,
    learning_rate: adamw.learningRate,
    num_tokens: state.numTokens,
    step_time: seconds,
    'time/update': seconds,
    'tokens_per_second/train': report.tokens / Math.max(1e-3, seconds),
  };
  return { record, rollouts: [], applied: report.applied };
}
