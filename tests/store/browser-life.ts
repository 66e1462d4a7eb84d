/** A browser process that a test can kill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { chromiumFlags, findChromium } from '../fixtures/chromium';

export interface BrowserLife {
  /** Kills the browser with its storage and page processes at once, so no process can finish a write. Idempotent. */
  kill(): Promise<void>;
}

/**
 * Waits up to half a second for the process group to end. The next browser would take files that a dying process still locks
 * for damaged.
 */
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
