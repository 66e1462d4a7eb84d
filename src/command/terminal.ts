/** The command's output: permanent lines, and below them one that is redrawn. The text may come from strangers. */
import type { WriteStream } from 'node:tty';
import { onServerWait } from '../model/source/retries';

export type Terminal = ReturnType<typeof terminalOn>;

/** Removes characters that control a terminal: escapes, line breaks and direction marks. */
export const harmless = (text: string): string =>
  text.replace(/\s*[\n\r\p{Zl}\p{Zp}]\s*/gu, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');

export function terminalOn(stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {
  let isShown = false;
  const clear = (): void => {
    // Moves up to the redrawn line and erases it.
    if (isShown) stream.write('\x1b[1A\x1b[0J');
    isShown = false;
  };
  return {
    /** False if the output is not a terminal, where `show` prints nothing. */
    isLive: stream.isTTY,
    /** Prints a permanent line. */
    say(line: string): void {
      clear();
      stream.write(`${harmless(line)}\n`);
    },
    /** Replaces the redrawn line; prints nothing if the output is not a terminal. */
    show(line: string): void {
      if (!stream.isTTY) return;
      clear();
      // A wrapped line would not be erased completely.
      stream.write(`${harmless(line).slice(0, Math.max(20, stream.columns - 1))}\n`);
      isShown = true;
    },
  };
}

/** Asks a question with the answers yes and no. Ctrl-C and Ctrl-D close the prompt, which is a no. */
export async function confirmed(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  const asking = createInterface(input, output);
  const answer = await new Promise<string>((resolve) => {
    asking.once('close', () => resolve(''));
    asking.question(question, resolve);
  });
  asking.close();
  return /^y/i.test(answer);
}

/** Prints the address and the received bytes while a server is slow or silent. */
export function sayWaits(terminal: Terminal): void {
  onServerWait(({ address, seconds, attempt, bytes }) => {
    const received = bytes === 0 ? 'nothing received yet' : `${bytes} bytes received`;
    const again = attempt > 1 ? `, attempt ${attempt}` : '';
    const line = `Waiting for ${address}: ${received} after ${seconds} s${again}.`;
    if (terminal.isLive) terminal.show(line);
    else terminal.say(line);
  });
}
