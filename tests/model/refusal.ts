import { MarbleError } from '../../src/base/error';

/** The `MarbleError` that something ends in, null where it ends well; anything else is a failure of the test. */
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
