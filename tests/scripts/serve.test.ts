import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../scripts/serve';

let folder: string;
const servers: Server[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'marble-serve-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'large.bin'), new Uint8Array(8 * 2 ** 20));
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true });
});

async function served(path: string): Promise<string> {
  const { server, address } = await serve(path);
  servers.push(server);
  return address;
}

/** Files of the folder that this process holds open. */
const heldOpen = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // it was closed meanwhile
    }
  });

describe('the page’s own server', () => {
  it.each(['', '/', '/assets/..', '/./'])(
    'serves the folder however it is written: dist%s',
    async (ending) => {
      const address = await served(folder + ending);
      expect((await fetch(address)).status).toBe(200);
      expect((await fetch(`${address}assets/large.bin`, { method: 'HEAD' })).status).toBe(200);
      expect((await fetch(`${address}%2e%2e/secret`)).status).toBe(404);
    },
  );

  it('lets no other page frame it', async () => {
    const { headers } = await fetch(await served(folder));
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  const knowsDescriptors = existsSync('/proc/self/fd');
  if (!knowsDescriptors) console.log('skipped: this system does not list open files under /proc');
  it.skipIf(!knowsDescriptors)('closes the file of a download that is cut off', async () => {
    const address = await served(folder);
    for (let cut = 0; cut < 5; cut += 1) {
      await new Promise<void>((resolve) => {
        const request = get(`${address}assets/large.bin`, (response) => {
          response.once('data', () => {
            request.destroy();
            resolve();
          });
        });
        request.on('error', () => undefined);
      });
    }
    await expect.poll(heldOpen).toEqual([]);
  });
});
