/** What the command prints to: lines in the order in which they are said, and below them some that change. */
import type { WriteStream } from 'node:tty';

export interface Terminal {
  /** Says a line that stays. */
  say(line: string): void;
  /** Puts these lines in the place of those shown last; where the output is no terminal they are left out. */
  show(lines: readonly string[]): void;
  /** Whether what is shown is seen. */
  readonly isLive: boolean;
}

export function terminalOn(stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>): Terminal {
  let shown = 0;
  const clear = (): void => {
    // Up to the first of them, and away with all below.
    if (shown > 0) stream.write(`\x1b[${shown}A\x1b[0J`);
    shown = 0;
  };
  return {
    isLive: stream.isTTY,
    say(line) {
      clear();
      stream.write(`${line}\n`);
    },
    show(lines) {
      if (!stream.isTTY) return;
      clear();
      // A line that is broken into two would not be cleared as one.
      const width = Math.max(20, stream.columns - 1);
      stream.write(lines.map((line) => `${line.slice(0, width)}\n`).join(''));
      shown = lines.length;
    },
  };
}
