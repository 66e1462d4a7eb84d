/** A browser from its start to its sudden end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromiumFlags, findChromium } from '../fixtures/chromium';

export interface BrowserLife {
  /** The browser, its storage process and its pages all at once: nobody is left to finish a write. */
  kill(): Promise<void>;
}

export function startLife(profile: string, address: string): BrowserLife {
  const browser = spawn(
    findChromium(),
    [...chromiumFlags, '--disable-gpu', `--user-data-dir=${profile}`, address],
    { detached: true, stdio: 'ignore' },
  );
  const ended = once(browser, 'exit');
  return {
    kill: async () => {
      process.kill(-browser.pid!, 'SIGKILL');
      await ended;
    },
  };
}
