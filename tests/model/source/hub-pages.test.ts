/** Paginated lists: the Hub lists 1,000 entries per page, with the next page in a `Link` header. */
import { describe, expect, it } from 'vitest';
import { listedFiles } from '../../../src/model/source/hub';
import { chosenSplit, describeDataset, readDatasetName } from '../../../src/model/source/hub-dataset';
import { openSource } from '../../../src/model/source/source';
import { startHub, type HubServer, type HubServerOptions } from '../../fixtures/servers/hub-server';
import { refusalOf, refusalTextOf } from '../refusal';

const small = new Uint8Array(1);
const others = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`file-${index}.txt`, small]));
const files = { ...others, 'config.json': small, 'model.safetensors': small };
const converted = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [`lang_${index}/test/0000.parquet`, small]),
);

async function withHub(
  changes: Partial<HubServerOptions>,
  work: (hub: HubServer) => Promise<void>,
): Promise<void> {
  const hub = await startHub({ files, datasets: { 'some/set': { converted } }, pageEntries: 3, ...changes });
  try {
    await work(hub);
  } finally {
    await hub.close();
  }
}

describe('a list of the Hub over several pages', () => {
  it('is read completely, for a model and for a data set', async () => {
    await withHub({}, async ({ endpoint, repository, revision, requests }) => {
      const listed = await listedFiles(`models/${repository}/tree/${revision}`, { endpoint });
      expect([...listed.keys()]).toEqual(Object.keys(files));
      expect(requests).toHaveLength(3);
      const model = await openSource({ hub: repository, revision }, { hubEndpoint: endpoint });
      expect(await model.has('model.safetensors')).toBe(true);
      const set = await describeDataset('some/set', { endpoint });
      expect(set.splits).toHaveLength(8);
      expect(chosenSplit(set, readDatasetName('some/set:lang_7/test'))).toMatchObject({ config: 'lang_7' });
    });
  });

  it('must not continue on another server', async () => {
    await withHub({}, async (other) => {
      await withHub({ nextOrigin: other.endpoint }, async ({ endpoint, repository, revision }) => {
        const list = () => listedFiles(`models/${repository}/tree/${revision}`, { endpoint });
        expect(await refusalOf(list)).toBe('model/hub-answer');
        expect(other.requests).toHaveLength(0);
      });
    });
  });

  it('has a limit on the pages', async () => {
    const many = Object.fromEntries(Array.from({ length: 102 }, (_, index) => [`${index}.txt`, small]));
    await withHub({ files: many, pageEntries: 1 }, async ({ endpoint, repository, revision }) => {
      const text = await refusalTextOf(() =>
        listedFiles(`models/${repository}/tree/${revision}`, { endpoint }),
      );
      expect(text).toContain('more than 100000 files');
    });
  });
});
