/** What the page of the weight cache's tests offers to them, under `globalThis.marble`. */
import { MarbleError } from '../../../src/base/error';
import { openRemote } from '../../../src/model/source/remote-source';
import { createSha256 } from '../../../src/base/sha256';
import { openWeightCache, type OpenedWeights } from '../../../src/store/weights/weight-cache';

/** SHA-256 of all bytes of a source, read as a model's tensors are: piece by piece. */
async function digestOf(source: OpenedWeights, step: number): Promise<string> {
  const hash = createSha256();
  for (let start = 0; start < source.size; start += step) {
    hash.update(await source.read(start, Math.min(source.size, start + step)));
  }
  return hash.digest();
}

const marble = { openRemote, openWeightCache, digestOf, MarbleError };
export type WeightsPage = typeof marble;

Object.assign(globalThis, { marble });

/** Where the address of the page names a file, it downloads it, tells how far it is, and may be killed at any time. */
const question = new URLSearchParams(location.search);
const address = question.get('download');
if (address !== null) {
  const tell = (message: Record<string, unknown>) =>
    fetch('/told', { method: 'POST', body: JSON.stringify(message) });
  const part = Number(question.get('part'));
  const cache = await openWeightCache(openRemote, { sizes: { part, piece: part / 4 } });
  const [kept] = await cache.list();
  await tell({ type: 'found', kept: kept?.kept ?? 0 });
  const listed = { size: Number(question.get('size')), sha256: question.get('sha256') };
  const source = await cache.open(address, listed, {
    onProgress: ({ received }) => void tell({ type: 'received', received }),
  });
  await tell({ type: 'done', kept: source.kept, digest: await digestOf(source, 1_000_003) });
}
