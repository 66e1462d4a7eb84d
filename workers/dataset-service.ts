/** Reads, previews and stores imported data sets and run files, outside of the page and of the training worker. */
import { MarbleError } from '../src/base/error';
import { identifyDataset } from '../src/tom/import/dataset-id';
import { importDataset, previewDataset } from '../src/tom/import/import-dataset';
import { MOST_BYTES } from '../src/tom/import/limits';
import type { DatasetService } from './dataset-protocol';
import { storeOnDemand } from './opened-store';

export function createDatasetService(): DatasetService {
  const openedStore = storeOnDemand();

  return {
    list: async () => (await openedStore()).listDatasets(),
    preview: previewDataset,
    async keep(file, name) {
      const { items, skipped, dataset, licence } = await importDataset(file, { name });
      const about = { ...(await identifyDataset(name, items)), name, dataset, licence };
      return { record: await (await openedStore()).putDataset(about, items), skipped };
    },
    fetchFile,
    remove: async (id) => (await openedStore()).deleteDataset(id),
    async readHistory(file) {
      if (file.type !== 'text/plain')
        return (await (await import('../src/share/run-file')).unpackRun(file)).history;
      const { codeLimit, readResultCode } = await import('../src/share/result-code');
      return readResultCode(await file.slice(0, 2 * codeLimit).text());
    },
    async openRunFile(file) {
      const { unpackRun } = await import('../src/share/run-file');
      const { history, rollouts, checkpoint, ...rest } = await unpackRun(file);
      return { ...(await (await openedStore()).keepRun(history, rollouts, checkpoint)), ...rest };
    },
  };
}

/** True if the page's content security policy allows requests to the address (`scripts/build/content-security-policy.ts`). */
const isAllowed = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(hostname));

/** @throws MarbleError `app/bad-address`, or an error of `fetchBytes` */
async function fetchFile(address: string): Promise<File> {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isOwn = url?.origin === location.origin;
  if (url === null || !(isOwn || isAllowed(url))) {
    throw new MarbleError(
      'app/bad-address',
      `"${address.slice(0, 80)}" is no address that this page may fetch a file from.`,
      'Give one that begins with https://, or choose a file.',
    );
  }
  const { fetchBytes } = await import('../src/model/source/remote-source');
  const bytes = await fetchBytes(url.href, MOST_BYTES);
  return new File([bytes], url.pathname.split('/').at(-1) || url.host);
}
