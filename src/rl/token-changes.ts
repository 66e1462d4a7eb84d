/**
 * What an update did to single tokens. The completions of two prompts, the ones that are looked at first, are scored once
 * more by the policy that the update has left: log p of each of their tokens before and after it. Nothing is drawn and no
 * state is touched, so a step has the same bits with this as without; it costs one forward pass over these completions.
 */
import type { Policy } from '../model/policy';
import type { RunConfig } from '../run/config/config';
import type { TokenChanges } from '../run/record/rollout-record';
import type { Sample } from '../run/record/sample';
import { isShortcutRight } from '../tom/item';
import { tokenizerOf } from './rollout';
import { responseStatistics } from './parts';

/** Rows by place in the batch. */
interface Known {
  samples: readonly Sample[];
  /** log p of each response token under the policy that sampled, by the trainer's own pass. */
  before: readonly ArrayLike<number>[];
  advantages: readonly ArrayLike<number>[];
}

/** @returns what is known token by token, by place in the batch */
export async function tokenChanges(
  policy: Policy,
  { samples, before, advantages }: Known,
  config: RunConfig,
): Promise<ReadonlyMap<number, TokenChanges>> {
  const places = shownPlaces(samples);
  const shown = places.map((i) => samples[i]);
  // After its update a step awaits no tick.
  const onProgress = (): Promise<void> => Promise.resolve();
  const { logprobs } = await responseStatistics(policy, shown, config, { onProgress });
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

/** All samples of the first prompt, and of the first other one whose shortcut is wrong, or else of the second. */
function shownPlaces(samples: readonly Sample[]): number[] {
  const other = samples.find(({ item, group }) => group > 0 && isShortcutRight(item) === false)?.group ?? 1;
  return samples.flatMap(({ group }, i) => (group === 0 || group === other ? [i] : []));
}

/** Tokens before one that decide how it is written: of a byte-level vocabulary some are parts of a character. */
const CONTEXT = 4;

/** The text that each token adds to those before it. */
export function tokenTexts(ids: readonly number[], decode: (ids: readonly number[]) => string): string[] {
  return ids.map((_, i) => {
    const first = Math.max(0, i - CONTEXT);
    const before = decode(ids.slice(first, i));
    const text = decode(ids.slice(first, i + 1));
    return text.startsWith(before) ? text.slice(before.length) : decode(ids.slice(i, i + 1));
  });
}

/** More digits than f32 has would only fill the storage. */
const DIGITS = 6;
const rounded = (row: ArrayLike<number>): number[] =>
  Array.from(row, (value) => Number(value.toPrecision(DIGITS)));
