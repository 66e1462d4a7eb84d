import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startLife } from './browser-life';
import { servePage } from './page-server';
import { folderForAll } from '../fixtures/folder';
import { sampled } from '../fixtures/sample';

const kills = Number(process.env.MARBLE_KILLS ?? sampled(3, 25));

interface Found {
  step: number;
  whole: boolean;
  damaged: string | null;
  log: number[];
}

describe('a browser killed while a checkpoint is being written', () => {
  const profile = folderForAll('kills');

  it(
    `loses no acknowledged checkpoint in ${kills} kills`,
    { tags: ['long'], timeout: 120_000 + kills * 10_000 },
    async () => {
      let hear: (message: Record<string, unknown>) => void = () => undefined;
      const server = await servePage(join(import.meta.dirname, 'store-page.ts'), (message) => hear(message));
      let saved = 0;
      let writing = 0;
      let killedBeforeAcknowledged = 0;
      try {
        for (let life = 0; life <= kills; life += 1) {
          const acknowledged = saved;
          const attempted = writing;
          const browser = startLife(profile, `${server.address}/kills`);
          let found: Found | undefined;
          let writes = 0;
          await new Promise<void>((resolve) => {
            hear = (message) => {
              if (message.type === 'found') found = message as unknown as Found;
              if (message.type === 'saved') saved = message.step as number;
              if (message.type === 'writing') {
                writing = message.step as number;
                writes += 1;
                if (writes > life % 3) resolve();
              }
            };
          });
          await wait((life * 7) % 25); // covers the duration of a write and some time after it
          await browser.kill();
          if (saved < writing) killedBeforeAcknowledged += 1;

          expect(found).toMatchObject({ whole: true, damaged: null });
          expect(found!.step).toBeGreaterThanOrEqual(acknowledged);
          expect(found!.step).toBeLessThanOrEqual(attempted);
          expect(found!.log).toEqual(Array.from({ length: found!.step }, (_, index) => index + 1));
        }
      } finally {
        await server.close();
      }
      expect(killedBeforeAcknowledged).toBeGreaterThan(0);
    },
  );
});
