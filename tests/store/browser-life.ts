/** A browser from its start to its sudden end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { chromiumFlags, findChromium } from '../fixtures/chromium';

export interface BrowserLife {
  /** The browser, its storage process and its pages all at once: nobody is left to finish a write. Again it does nothing. */
  kill(): Promise<void>;
}

/** What the group of a dead browser still holds locked would look damaged to the next; zombies are waited for half a second. */
async function groupGone(leader: number): Promise<void> {
  for (let tries = 0; tries < 25; tries++) {
    try {
      process.kill(-leader, 0);
    } catch {
      return;
    }
    await wait(20);
  }
}

export function startLife(profile: string, address: string, flags: readonly string[] = []): BrowserLife {
  const browser = spawn(
    findChromium(),
    [...chromiumFlags, '--disable-gpu', ...flags, `--user-data-dir=${profile}`, address],
    { detached: true, stdio: 'ignore' },
  );
  const ended = once(browser, 'exit');
  return {
    kill: async () => {
      if (browser.exitCode !== null || browser.signalCode !== null) return;
      process.kill(-browser.pid!, 'SIGKILL');
      await ended;
      await groupGone(browser.pid!);
    },
  };
}
