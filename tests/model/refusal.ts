import { expect } from 'vitest';
import { MarbleError } from '../../src/base/error';

/** Returns the `MarbleError` of a call, or null if it succeeds. Rethrows other errors. */
export async function errorOf(action: () => unknown): Promise<MarbleError | null> {
  try {
    await action();
    return null;
  } catch (thrown) {
    if (thrown instanceof MarbleError) return thrown;
    throw thrown;
  }
}

export const refusalOf = async (action: () => unknown): Promise<string> =>
  (await errorOf(action))?.code ?? 'accepted';

export const refusalTextOf = async (action: () => unknown): Promise<string> =>
  (await errorOf(action))?.message ?? 'accepted';

/** Matches a `MarbleError` of this code whose message has these words. */
export const refusal = (code: string, words: string | RegExp = ''): Error =>
  expect.objectContaining({
    code,
    message: (typeof words === 'string'
      ? expect.stringContaining(words)
      : expect.stringMatching(words)) as string,
  }) as Error;
