import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chosenSplit,
  describeDataset,
  fetchSplit,
  hubTerms,
  readDatasetName,
} from '../../../src/model/source/hub-dataset';
import { importDataset } from '../../../src/tom/import/import-dataset';
import { parquetFile } from '../../fixtures/parquet-file';
import { startHub, type Fault, type HubServer } from '../../fixtures/servers/hub-server';
import { refusalOf, refusalTextOf } from '../refusal';

const rows = Array.from({ length: 5 }, (_, at) => ({ story: `Ann saw ${at} jars.`, question: 'How many?', answer: String(at) })); // prettier-ignore
const parquet = parquetFile(rows);

let hub: HubServer;
let fault: Fault | null = null;
beforeAll(async () => {
  hub = await startHub({
    files: {},
    fault: ({ place }) => (place === 'hub' ? fault : null),
    datasets: {
      'owner/one': { licence: 'cc-by-4.0', converted: { 'default/train/0000.parquet': parquet, '.gitattributes': parquet } }, // prettier-ignore
      'owner/many': { converted: { 'a/train/0000.parquet': parquet, 'a/train/0001.parquet': parquet, 'b/test/0000.parquet': parquet } }, // prettier-ignore
      'owner/raw': { converted: null },
      'owner/empty': { converted: {} },
    },
  });
});
afterAll(() => hub.close());

const options = () => ({ endpoint: hub.endpoint, retryDelay: 1 });
const most = 1e6;

describe('a data set of the Hub', () => {
  it('is described by licence field, commit and splits with sizes, without fetching data', async () => {
    const before = hub.requests.length;
    const one = await describeDataset('owner/one', options());
    expect(one).toMatchObject({ licence: 'cc-by-4.0', revision: hub.revision });
    expect(one.splits.map(({ config, split, bytes }) => [config, split, bytes])).toEqual([['default', 'train', parquet.length]]); // prettier-ignore
    expect(hub.requests.slice(before).every(({ place }) => place === 'api')).toBe(true);
    expect((await describeDataset('owner/many', options())).licence).toBeNull();
  });

  it('is fetched as one parquet file, whose rows have the terms of its card', async () => {
    const one = await describeDataset('owner/one', options());
    const file = await fetchSplit(one, chosenSplit(one, readDatasetName('owner/one')), most, options());
    expect(file.name).toBe('owner-one-default-train.parquet');
    const imported = await importDataset(file, { licence: hubTerms(one) });
    expect(imported.items).toHaveLength(5);
    expect(imported.licence).toBe('licence field “cc-by-4.0” of owner/one on the Hugging Face Hub, converted at aaaaaaaa'); // prettier-ignore
  });

  it('with several splits requires a choice and lists them', async () => {
    const many = await describeDataset('owner/many', options());
    expect(chosenSplit(many, readDatasetName('owner/many:b/test'))).toMatchObject({
      config: 'b',
      split: 'test',
    });
    expect(await refusalTextOf(() => chosenSplit(many, readDatasetName('owner/many')))).toContain('a/train, b/test'); // prettier-ignore
    expect(await refusalTextOf(() => chosenSplit(many, readDatasetName('owner/many:a/test')))).toContain('has no a/test'); // prettier-ignore
    expect(await refusalOf(() => readDatasetName('owner/many:train'))).toBe('model/hub-split');
    expect(await refusalOf(() => readDatasetName('https://a.example'))).toBe('model/hub-name');
  });

  it('is rejected if it is too large, not converted, missing, or different from the Hub’s list', async () => {
    const many = await describeDataset('owner/many', options());
    const split = chosenSplit(many, readDatasetName('owner/many:a/train'));
    expect(await refusalTextOf(() => fetchSplit(many, split, most, options()))).toContain('2 files');
    const small = chosenSplit(many, readDatasetName('owner/many:b/test'));
    expect(await refusalOf(() => fetchSplit(many, small, 10, options()))).toBe('model/hub-split');
    for (const name of ['owner/raw', 'owner/empty'])
      expect(await refusalOf(() => describeDataset(name, options()))).toBe('model/hub-no-parquet');
    expect(await refusalOf(() => describeDataset('owner/nothing', options()))).toBe('model/file-missing');
    fault = { kind: 'corrupt' };
    expect(await refusalOf(() => fetchSplit(many, small, most, options()))).toBe('model/download-size');
    fault = { kind: 'page' };
    expect(await refusalOf(() => fetchSplit(many, small, most, options()))).toBe('model/download-size');
    fault = null;
  });
});
