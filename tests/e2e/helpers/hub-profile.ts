import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import { root } from './build-and-serve';
import { newProfile } from './visitor';

/** An embedded model, for a Hub or as a visitor's files, because it is small and can train. */
export const toyFolder = join(root, 'public', 'models', 'ladder-25k');
export const toyNames = readdirSync(toyFolder).filter((name) => !['README.md', 'trained'].includes(name));

export function startToyHub(bytesPerSecond?: number): Promise<HubServer> {
  const files = Object.fromEntries(toyNames.map((name) => [name, join(toyFolder, name)]));
  return startHub({ repository: 'marble/toy', files, bytesPerSecond });
}

/** Settings of a run on the model of a Hub. */
export const onHub = ({ repository, revision }: HubServer) => ({
  ...{ 'model.kind': 'hub', 'model.repository': repository, 'model.revision': revision },
});

/** A profile whose requests to the Hub go to the test server, or fail when it is offline. */
export async function hubProfile(hub: HubServer, isOffline = (): boolean => false): Promise<BrowserContext> {
  const profile = await newProfile();
  await profile.route('https://huggingface.co/**', async (route) => {
    const request = route.request();
    if (isOffline()) return route.abort();
    try {
      const { range } = await request.allHeaders();
      const address = request.url().replace('https://huggingface.co', hub.endpoint);
      const answer = await fetch(address, { headers: range === undefined ? {} : { range } });
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
    } catch {
      await route.abort().catch(() => undefined); // the page closed in the meantime
    }
  });
  return profile;
}
