/** What the command prints to: lines that stay, and below them one that changes. */
import type { WriteStream } from 'node:tty';

export interface Terminal {
  /** Says a line that stays. */
  say(line: string): void;
  /** Puts this line in the place of the one shown last; left out where the output is no terminal. */
  show(line: string): void;
  /** Whether what is shown is seen. */
  readonly isLive: boolean;
}

export function terminalOn(stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>): Terminal {
  let isShown = false;
  const clear = (): void => {
    // Up to that line, and away with it.
    if (isShown) stream.write('\x1b[1A\x1b[0J');
    isShown = false;
  };
  return {
    isLive: stream.isTTY,
    say(line) {
      clear();
      stream.write(`${line}\n`);
    },
    show(line) {
      if (!stream.isTTY) return;
      clear();
      // A line that is broken into two would not be cleared as one.
      stream.write(`${line.slice(0, Math.max(20, stream.columns - 1))}\n`);
      isShown = true;
    },
  };
}
