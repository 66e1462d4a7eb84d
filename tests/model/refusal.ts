/** The code of the `MarbleError` that something ends in; anything else is a failure of the test. */
import { MarbleError } from '../../src/base/error';

export async function refusalOf(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof MarbleError) return thrown.code;
    throw thrown;
  }
  return 'accepted';
}

/** The message of the `MarbleError` that something ends in. */
export async function refusalTextOf(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof MarbleError) return thrown.message;
    throw thrown;
  }
  return 'accepted';
}
