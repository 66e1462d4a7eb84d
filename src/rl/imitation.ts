/**
 * Supervised learning on gold completions: the warm start, and the control arm that learns answers without ever being
 * rewarded. Token-mean cross-entropy over the completion and its end token:
 *
 *   loss = -1/N sum log p(token),   d loss / d log p = -1/N     N: completion tokens of the batch
 *
 * Left out: loss on the prompt, label smoothing and packing; sequences here are short.
 */
import { MarbleError } from '../error';
import type { AdamWOptions, Policy } from '../model/policy';
import type { Item, Verbosity } from '../tom/item';
import { reporting } from './progress';
import { encodePrompt, stopIdsOf, tokenizerOf } from './rollout';

export interface Example {
  /** Token ids. */
  prompt: number[];
  /** Token ids, the end token included. */
  completion: number[];
}

export interface ImitationReport {
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
  const completion = [...tokenizerOf(policy).encode(trace), stopIdsOf(policy)[0]];
  return { prompt: encodePrompt(policy, item, completion.length), completion };
}

/**
 * One optimiser step on a batch of examples.
 *
 * @param atOnce examples of like length that run together, so that little is padded; all where left out
 * @yields the share of the work done between its micro-batches; never after the update
 */
export async function* imitate(
  policy: Policy,
  examples: readonly Example[],
  adamw: AdamWOptions,
  atOnce = examples.length,
): AsyncGenerator<number, ImitationReport, void> {
  const count = examples.reduce((sum, { completion }) => sum + completion.length, 0);
  const length = ({ prompt, completion }: Example): number => prompt.length + completion.length;
  const byLength = atOnce < examples.length ? [...examples].sort((a, b) => length(b) - length(a)) : examples;
  const logprobs: Float32Array[] = [];
  const entropies: Float32Array[] = [];
  for (let first = 0; first < byLength.length; first += atOnce) {
    const part = byLength.slice(first, first + atOnce);
    const statistics = yield* reporting((report) =>
      policy.backward(
        part.map(({ prompt, completion }) => [...prompt, ...completion]),
        part.map(({ prompt }) => prompt.length),
        {
          objective: (tokens) => ({ logprobs: tokens.logprobs.map((row) => row.map(() => -1 / count)) }),
          onProgress: (share) => report((first + share * part.length) / examples.length),
        },
      ),
    );
    logprobs.push(...statistics.logprobs);
    entropies.push(...statistics.entropies);
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
