/** What the command prints to: lines that stay, and below them one that changes. What it says may be a stranger's text. */
import type { WriteStream } from 'node:tty';

export type Terminal = ReturnType<typeof terminalOn>;

/** Without what a terminal would obey: escapes, line breaks, and marks that turn the direction of writing. */
export const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

export function terminalOn(stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {
  let isShown = false;
  const clear = (): void => {
    // Up to that line, and away with it.
    if (isShown) stream.write('\x1b[1A\x1b[0J');
    isShown = false;
  };
  return {
    /** Whether what is shown is seen. */
    isLive: stream.isTTY,
    /** Says a line that stays. */
    say(line: string): void {
      clear();
      stream.write(`${harmless(line)}\n`);
    },
    /** Puts this line in the place of the one shown last; left out where the output is no terminal. */
    show(line: string): void {
      if (!stream.isTTY) return;
      clear();
      // A line that is broken into two would not be cleared as one.
      stream.write(`${harmless(line).slice(0, Math.max(20, stream.columns - 1))}\n`);
      isShown = true;
    },
  };
}
