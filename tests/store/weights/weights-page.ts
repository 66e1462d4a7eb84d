/** The page of the weight cache's browser test. It downloads the file in its query string and reports its progress. */
import { openRemote } from '../../../src/model/source/remote-source';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { openWeightCache } from '../../../src/store/weights/weight-cache';

export type Told =
  | { type: 'found'; kept: number }
  | { type: 'received'; received: number }
  | { type: 'done'; kept: boolean; digest: string };

const tell = (message: Told) => fetch('/told', { method: 'POST', body: JSON.stringify(message) });

const question = new URLSearchParams(location.search);
const [part, size] = ['part', 'size'].map((name) => Number(question.get(name)));
const cache = await openWeightCache(openRemote, { sizes: { part, piece: part / 4 } });
const [kept] = await cache.list();
await tell({ type: 'found', kept: kept?.kept ?? 0 });
const listed = { size, sha256: question.get('sha256') };
const source = await cache.open(question.get('address')!, listed, {
  onProgress: ({ received }) => void tell({ type: 'received', received }),
});
/** Hash of all bytes, read piece by piece as a loader reads a model's tensors. */
const hash = sha256.create();
for (let start = 0; start < size; start += 1_000_003) {
  hash.update(await source.read(start, Math.min(size, start + 1_000_003)));
}
await tell({ type: 'done', kept: source.refusal === null, digest: bytesToHex(hash.digest()) });
