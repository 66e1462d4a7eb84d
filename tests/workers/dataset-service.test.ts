/** Tasks of the data set worker for the page: exports with imported data sets, and files that it fetches. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unzipFiles } from '../export/unzip-files';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import { importDataset } from '../../src/tom/import/import-dataset';
import type { Item } from '../../src/tom/item';
import { createDatasetService } from '../../workers/dataset-service';
import { embeddedFiles } from '../export/model-folder';
import { refusalOf } from '../model/refusal';

const kept = vi.hoisted(() => ({ items: [] as readonly Item[] }));
vi.mock('../../src/store/store', () => ({
  openStore: () =>
    Promise.resolve({
      loadDataset: (id: string) => Promise.resolve({ items: id === 'mine-1' ? kept.items : [] }),
    }),
}));

const base = 'https://marble.example/index.html';
const preset = presets['ladder-25k'];
const config: RunConfig = {
  ...preset,
  steps: 2,
  data: { ...preset.data, source: 'imported:mine-1', orders: [0], dropShortcutRight: 0 },
  evaluation: { ...preset.evaluation, items: 4, finalItems: 4, validationItems: 0, imported: ['other-2'] },
};
const stories = Array.from({ length: 20 }, (_, at) => ({
  story: `ann entered bag . ${'bob '.repeat(at)}.`,
  question: 'where is key ?',
  answer: 'bag',
  order: 0,
}));

afterEach(() => vi.unstubAllGlobals());

describe('an export from the page', () => {
  it('holds the questions of an imported data set, and says what it does not hold', async () => {
    const files = embeddedFiles('ladder-25k');
    vi.stubGlobal('fetch', (address: string) => {
      const file = files[address.split('/').at(-1)!] as Blob | undefined;
      return Promise.resolve(new Response(file ?? null, { status: file === undefined ? 404 : 200 }));
    });
    kept.items = (await importDataset(new Blob([JSON.stringify(stories)]))).items;
    const zip = await unzipFiles(await createDatasetService().exportZip(config, 'trl', base));
    const rows = new TextDecoder().decode(await zip['train.parquet'].arrayBuffer());
    expect(rows).toContain('ann entered bag . bob bob');
    const lost = await zip['lost-fields.md'].text();
    expect(lost).toContain('the parquet files contain only the questions of mine-1');
    expect(lost).toContain('evaluation.imported');
    kept.items = kept.items.map((item) => ({ ...item, training: 'forbidden' as const }));
    expect(await refusalOf(() => createDatasetService().exportZip(config, 'trl', base))).toBe(
      'tom/training-forbidden',
    );
  });
});

describe('a data set', () => {
  beforeEach(() => void vi.stubGlobal('location', { origin: 'https://marble.example' }));
  const fetchFile = (address: string) => refusalOf(() => createDatasetService().fetchFile(address));

  it.each(['http://data.example/rows.csv', 'javascript:alert(1)', 'rows.csv', 'file:///etc/passwd'])(
    'is not fetched from %s',
    async (address) => {
      const fetched = vi.fn();
      vi.stubGlobal('fetch', fetched);
      expect(await fetchFile(address)).toBe('app/bad-address');
      expect(fetched).not.toHaveBeenCalled();
    },
  );

  it('whose server has no such file is named with its address', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 404 })));
    expect(await fetchFile('https://data.example/rows.csv')).toBe('model/file-missing');
  });
});
