import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hubAddress } from '../../../src/model/source/hub';
import { startHub } from '../../fixtures/servers/hub-server';
import { folderForAll } from '../../fixtures/folder';
import { sampled } from '../../fixtures/sample';
import { startLife } from '../browser-life';
import { servePage } from '../page-server';
import type { Told } from './weights-page';

const part = 2 ** 20;
const weights = Uint8Array.from(
  { length: 12 * part + 4321 },
  (_, index) => (index * 7919 + (index >> 11)) & 255,
);
const sha256 = createHash('sha256').update(weights).digest('hex');

const profile = folderForAll('weights');

it('a download resumes after each kill, and repeats at most one part', { tags: ['long'] }, async () => {
  const kills = sampled(3, 5);
  let hear: (message: Told) => void = () => undefined;
  const hub = await startHub({ files: { 'model.safetensors': weights }, bytesPerSecond: 24 * part });
  const server = await servePage(join(import.meta.dirname, 'weights-page.ts'), (message) =>
    hear(message as Told),
  );
  const question = new URLSearchParams({
    address: hubAddress(hub.repository, hub.revision, 'model.safetensors', hub.endpoint),
    ...{ part: `${part}`, size: `${weights.length}`, sha256 },
  });
  let received = 0;
  let done: Told | null = null;
  try {
    for (let life = 0; life <= kills; life += 1) {
      const until = life === kills ? Infinity : received + (1.1 + 0.3 * life) * part;
      const before = received;
      const killed = startLife(profile, `${server.address}/?${question.toString()}`);
      const found = await new Promise<number>((resolve) => {
        let kept = 0;
        hear = (message) => {
          if (message.type === 'found') kept = message.kept;
          if (message.type === 'done') done = message;
          if (message.type === 'received') received = message.received;
          if (received >= until || done !== null) resolve(kept);
        };
      });
      await killed.kill();
      hear = () => undefined;
      expect(before - found).toBeLessThanOrEqual(part);
    }
  } finally {
    await server.close();
    await hub.close();
  }
  expect(done).toMatchObject({ kept: true, digest: sha256 });
  const asked = hub.requests.flatMap(({ place, range }) =>
    place === 'storage' && range && range[1] > 1 ? [range[1] - range[0]] : [],
  );
  // A kill also loses the received pieces of the current part.
  expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(weights.length + kills * part);
});
