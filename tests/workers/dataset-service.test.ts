/** Files that the data set worker fetches for the page. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDatasetService } from '../../workers/dataset-service';
import { refusalOf } from '../model/refusal';

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
