/**
 * A Chromium with a persistent profile: started, controlled through its debugging port, and killed with all its
 * processes.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { startLife } from '../../store/browser-life';

export interface DrivenLife {
  page: Page;
  profile: BrowserContext;
  /** SIGKILL to the browser's process group, so that no process can finish a write. */
  kill: () => Promise<void>;
}

async function startOnce(profile: string, address: string): Promise<DrivenLife> {
  const portFile = join(profile, 'DevToolsActivePort');
  await rm(portFile, { force: true }); // of the previous life
  const life = startLife(profile, address, ['--remote-debugging-port=0']);
  try {
    let port = '';
    while (port === '') {
      await wait(50);
      port = (await readFile(portFile, 'utf8').catch(() => '')).split('\n')[0];
    }
    // Without Playwright's defaults a tab behind another one is hidden.
    const options = { noDefaults: true, timeout: 20_000 };
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, options);
    const [profileOfLife] = browser.contexts();
    const isOurs = (page: Page): boolean => page.url().startsWith(new URL(address).origin);
    while (!profileOfLife.pages().some(isOurs)) await wait(50);
    const page = profileOfLife.pages().find(isOurs)!;
    page.setDefaultTimeout(60_000);
    return {
      page,
      profile: profileOfLife,
      async kill() {
        await life.kill();
        await browser.close().catch(() => undefined);
      },
    };
  } catch (error) {
    await life.kill();
    throw error;
  }
}

/** Starts a browser at the address. Playwright sometimes waits in vain for a tab that has just opened: then a new one starts. */
export async function driveLife(profile: string, address: string): Promise<DrivenLife> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(profile, address);
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}
