import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hubAddress } from '../../../src/model/source/hub';
import { chromiumFlags, findChromium } from '../../fixtures/chromium';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import { sampled } from '../../fixtures/sample';
import { startLife } from '../browser-life';
import { servePage, type PageServer } from '../page-server';
import type { WeightsPage } from './weights-page';

/** In the page only. */
declare const marble: WeightsPage;

const part = 2 ** 20;
const weights = Uint8Array.from(
  { length: 12 * part + 4321 },
  (_, index) => (index * 7919 + (index >> 11)) & 255,
);
const sha256 = createHash('sha256').update(weights).digest('hex');
const file = { size: weights.length, sha256 };

let hub: HubServer;
let address: string;
let server: PageServer;
let hear: (message: Record<string, unknown>) => void = () => undefined;

beforeAll(async () => {
  hub = await startHub({ files: { 'model.safetensors': weights }, bytesPerSecond: 24 * part });
  address = hubAddress(hub.repository, hub.revision, 'model.safetensors', hub.endpoint);
  server = await servePage(join(import.meta.dirname, 'weights-page.ts'), (message) => hear(message));
});
afterAll(async () => {
  await server.close();
  await hub.close();
});
beforeEach(() => {
  hub.requests.length = 0;
});

/** Bytes asked of the storage, probes left out. */
const askedBytes = (): number =>
  hub.requests
    .flatMap(({ place, range }) =>
      place === 'storage' && range && range[1] > 1 ? [range[1] - range[0]] : [],
    )
    .reduce((sum, bytes) => sum + bytes, 0);

describe('a download in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
  });
  afterAll(() => browser.close());

  async function openPage(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(server.address);
    await page.waitForFunction(() => 'marble' in globalThis);
    return page;
  }

  const download = (page: Page) =>
    page.evaluate(
      async ([url, listed, size]) => {
        const cache = await marble.openWeightCache(marble.openRemote, {
          sizes: { part: size, piece: size / 4 },
        });
        const source = await cache.open(url, listed);
        const kept = await cache.list();
        const missing = await cache.missing([{ address: url, size: listed.size }]);
        const digest = await marble.digestOf(source, 777_777);
        return { kept: source.kept, refusal: source.refusal?.code, digest, list: kept.length, missing };
      },
      [address, file, part] as const,
    );

  it('into a full storage leaves nothing behind, says so, and streams', async () => {
    const page = await openPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.address, quotaSize: 5 * part });
    expect(await download(page)).toEqual({
      kept: false,
      refusal: 'store/full',
      digest: sha256,
      list: 0,
      missing: weights.length,
    });
    await page.context().close();
  });
});

it('a browser killed while it downloads goes on where it was, with at most one part again at each kill', async () => {
  const kills = sampled(3, 5);
  const profile = mkdtempSync(join(tmpdir(), 'marble-weights-'));
  const question = new URLSearchParams({
    download: address,
    part: `${part}`,
    size: `${file.size}`,
    sha256,
  });
  let received = 0;
  let done: Record<string, unknown> | null = null;
  try {
    for (let life = 0; life <= kills; life += 1) {
      const until = life === kills ? Infinity : received + (1.1 + 0.3 * life) * part;
      const before = received;
      const killed = startLife(profile, `${server.address}/?${question.toString()}`);
      const found = await new Promise<number>((resolve) => {
        let kept = 0;
        hear = (message) => {
          if (message.type === 'found') kept = message.kept as number;
          if (message.type === 'done') done = message;
          if (message.type === 'received') received = message.received as number;
          if (received >= until || done !== null) resolve(kept);
        };
      });
      await killed.kill();
      hear = () => undefined;
      expect(before - found).toBeLessThanOrEqual(part);
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
  expect(done).toMatchObject({ kept: true, digest: sha256 });
  // A kill also loses what was on its way in the part at hand.
  expect(askedBytes()).toBeLessThanOrEqual(weights.length + kills * part);
});
