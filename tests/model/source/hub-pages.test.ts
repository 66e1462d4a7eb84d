/** Paginated lists: the Hub lists 1,000 entries per page, with the next page in a `Link` header. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { listedFiles } from '../../../src/model/source/hub';
import { startHub, type HubServerOptions } from '../../fixtures/servers/hub-server';
import { refusalOf, refusalTextOf } from '../refusal';

const small = new Uint8Array(1);
const others = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`file-${index}.txt`, small]));
const files = { ...others, 'config.json': small, 'model.safetensors': small };

async function open(changes: Partial<HubServerOptions> = {}) {
  const hub = await startHub({ files, pageEntries: 3, ...changes });
  onTestFinished(() => hub.close());
  const { endpoint, repository, revision } = hub;
  return { hub, list: () => listedFiles(`models/${repository}/tree/${revision}`, { endpoint }) };
}

describe('a list of the Hub over several pages', () => {
  it('is read completely', async () => {
    const { hub, list } = await open();
    expect([...(await list()).keys()]).toEqual(Object.keys(files));
    expect(hub.requests).toHaveLength(3);
  });

  it('must not continue on another server', async () => {
    const { hub: other } = await open();
    const { list } = await open({ nextOrigin: other.endpoint });
    expect(await refusalOf(list)).toBe('model/hub-answer');
    expect(other.requests).toHaveLength(0);
  });

  it('has a limit on the pages', async () => {
    const many = Object.fromEntries(Array.from({ length: 102 }, (_, index) => [`${index}.txt`, small]));
    const { list } = await open({ files: many, pageEntries: 1 });
    expect(await refusalTextOf(list)).toContain('more than 100000 files');
  });
});
