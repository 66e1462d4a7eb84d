/**
 * Effect of an update on single tokens. The updated policy scores the completions of two prompts again,
 * which gives log p of each of their tokens before and after the update. This draws no random numbers and changes no
 * state, so a step has the same bits with and without it. It costs one forward pass over these completions.
 */
import type { Policy } from '../model/policy';
import type { RunConfig } from '../run/config/config';
import type { TokenChanges } from '../run/record/rollout-record';
import type { Sample } from '../run/record/sample';
import { isHard } from '../tom/item';
import { tokenizerOf } from './rollout';
import { responseLogprobs } from './parts';

/** Samples of a step, with the log-probabilities and advantages that its update used. All lists are by index in the batch. */
interface UpdatedSamples {
  samples: readonly Sample[];
  /** log p of each response token under the policy that sampled, from the trainer's own pass. */
  before: readonly ArrayLike<number>[];
  advantages: readonly ArrayLike<number>[];
}

/** @returns the changes of the completions of two prompts, by index in the batch */
export async function tokenChanges(
  policy: Policy,
  { samples, before, advantages }: UpdatedSamples,
  config: RunConfig,
): Promise<Map<number, TokenChanges>> {
  const places = shownPlaces(samples);
  const selected = places.map((i) => samples[i]);
  // A step awaits no tick after its update.
  const onProgress = (): Promise<void> => Promise.resolve();
  const logprobs = await responseLogprobs(policy, selected, config, { onProgress });
  const decode = (ids: readonly number[]): string => tokenizerOf(policy).decode(ids, { keepSpecial: true });
  return new Map(
    places.map((i, row) => [
      i,
      {
        texts: tokenTexts(samples[i].response, decode),
        advantages: rounded(advantages[i]),
        before: rounded(before[i]),
        after: rounded(logprobs[row]),
      },
    ]),
  );
}

/**
 * All samples of the first prompt, and of the first other hard prompt, or else of the second prompt.
 */
function shownPlaces(samples: readonly Sample[]): number[] {
  const other = samples.find(({ item, group }) => group > 0 && isHard(item))?.group ?? 1;
  return samples.flatMap(({ group }, i) => (group === 0 || group === other ? [i] : []));
}

/**
 * Number of preceding tokens for decoding a token: in a byte-level vocabulary, some tokens are parts of a character.
 */
const CONTEXT = 4;

/** The text that each token adds to the preceding ones. */
export function tokenTexts(ids: readonly number[], decode: (ids: readonly number[]) => string): string[] {
  return ids.map((_, i) => {
    const first = Math.max(0, i - CONTEXT);
    const before = decode(ids.slice(first, i));
    const text = decode(ids.slice(first, i + 1));
    return text.startsWith(before) ? text.slice(before.length) : decode(ids.slice(i, i + 1));
  });
}

/** More digits than those of f32 would only take up storage. */
const DIGITS = 6;
const rounded = (row: ArrayLike<number>): number[] =>
  Array.from(row, (value) => Number(value.toPrecision(DIGITS)));
