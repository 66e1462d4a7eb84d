import type { BrowserContext } from 'playwright-core';
import type { HubServer } from '../../fixtures/servers/hub-server';
import { newProfile } from './visitor';

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
