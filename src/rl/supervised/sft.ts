/**
 * Supervised fine-tuning (SFT) on gold completions: the warm start, and the control arm that learns answers without any
 * reward. The loss is the token-mean cross-entropy over the completion and its end token:
 *
 *     loss = -1/N sum log p(token),   d loss / d log p = -1/N     N: completion tokens of the batch
 *
 * Left out: loss on the prompt, label smoothing and packing; sequences here are short.
 */
import { MarbleError } from '../../base/error';
import { createRandom } from '../../base/random';
import type { AdamWOptions, PassProgress, Policy } from '../../model/policy';
import type { RunConfig } from '../../run/config/config';
import { warmStartOf } from '../../run/config/warm-start';
import type { StepRecord } from '../../run/record/events';
import type { Item, Verbosity } from '../../tom/item';
import type { Control } from '../control';
import { encodePrompt, stopIdsOf, tokenizerOf } from '../rollout';
import { adamwAt } from '../schedule';
import type { Run, StepOutcome } from '../trainer-state';
import { keptPart, partsOf } from '../parts';

/** A supervised step. */
export interface Lesson {
  /** Number of gold completions. */
  examples: number;
  /** Relative shares of the verbosities; they need not sum to 1. */
  mix: Record<Verbosity, number>;
}

/** The lesson of a supervised step; null if the step learns from rewards. */
export function lessonAt(step: number, config: RunConfig): Lesson | null {
  const warm = warmStartOf(config);
  if (warm !== null && step <= warm.updates) return warm;
  if (config.method === 'rl') return null;
  const { promptsPerStep, samplesPerPrompt } = config.rollout;
  const direct = Number(config.method === 'sft-answers');
  return { examples: promptsPerStep * samplesPerPrompt, mix: { full: 1 - direct, short: 0, direct } };
}

const MIX_STREAM = 0x6d6978;

/** Draws the verbosity of each example of a step. */
export function drawVerbosities({ mix, examples }: Lesson, seed: number, step: number): Verbosity[] {
  const random = createRandom(seed, MIX_STREAM, step);
  const whole = mix.full + mix.short + mix.direct;
  return Array.from({ length: examples }, () => {
    const draw = random.uniform() * whole;
    return draw < mix.full ? 'full' : draw < mix.full + mix.short ? 'short' : 'direct';
  });
}

export interface Example {
  /** Token ids. */
  prompt: number[];
  /** Token ids, including the end token. */
  response: number[];
}

export interface SftReport {
  loss: number;
  /** Token-mean, nats. */
  entropy: number;
  gradNorm: number;
  /** Prompt and completion tokens. */
  tokens: number;
  /** False if loss or gradient were not finite; nothing was changed then. */
  applied: boolean;
}

/** @throws MarbleError `rl/no-trace` if the item has no gold trace of this verbosity */
function goldTrace(item: Item, verbosity: Verbosity): string {
  const trace =
    item.traces?.[verbosity] ??
    (verbosity === 'direct' ? `</think> <answer> ${item.answer} </answer>` : undefined);
  if (trace === undefined) {
    throw new MarbleError(
      'rl/no-trace',
      `Item "${item.id}" of ${item.dataset} has no gold trace of verbosity "${verbosity}".`,
      'Choose a data set with simulated worlds, or learn answers alone: in a warm start, set the shares of full and short traces to 0.',
    );
  }
  return trace;
}

/**
 * An item's gold completion as token ids.
 *
 * @throws MarbleError `rl/no-trace` if the item has no gold trace of this verbosity
 */
export function goldExample(policy: Policy, item: Item, verbosity: Verbosity): Example {
  const response = [...tokenizerOf(policy).encode(goldTrace(item, verbosity)), stopIdsOf(policy)[0]];
  return { prompt: encodePrompt(policy, item, response.length), response };
}

/**
 * One optimiser update on a batch of examples.
 *
 * @param options.atOnce number of examples of similar length that run together, which limits padding; default all
 * @param options.onProgress receives the completed fraction; not called after the update
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

/** Number of examples checked before a run begins; those of a generator are all alike. */
const REQUIRED = 2048;

/**
 * Checks that the coming supervised steps have gold traces, before any computation for a run that cannot finish.
 *
 * @param done - number of completed steps
 * @throws MarbleError `rl/no-trace`
 */
export function requireGold({ config, source, state }: Run, done: number): void {
  let looked = 0;
  for (let step = done + 1; step <= config.steps && looked < REQUIRED; step++) {
    const lesson = lessonAt(step, config);
    if (lesson === null) return;
    const verbosities = drawVerbosities(lesson, config.seed, step);
    if (verbosities.some((one) => one !== 'direct')) {
      const items = source.training(state.cursor + looked, lesson.examples);
      items.forEach((item, i) => goldTrace(item, verbosities[i]));
    }
    looked += lesson.examples;
  }
}

/** One supervised step of a warm start or of a control arm. */
export async function sftStep(
  { policy, config, source, state }: Run,
  step: number,
  lesson: Lesson,
  control: Control,
): Promise<StepOutcome> {
  const items = source.training(state.cursor, lesson.examples);
  state.cursor += lesson.examples;
  const verbosities = drawVerbosities(lesson, config.seed, step);
  const examples = items.map((item, i) => goldExample(policy, item, verbosities[i]));
  const adamw = adamwAt(step, config);
  const onProgress = (done: number): Promise<void> => control.tick('update', done);
  await onProgress(0);
  // No two examples share a prompt.
  const rollout = { ...config.rollout, samplesPerPrompt: 1 };
  const atOnce = keptPart(policy, examples, { ...config, rollout });
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
  return { record, rollouts: [], applied: report.applied, updates: 0 };
}
