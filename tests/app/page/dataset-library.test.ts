import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDatasetLibrary } from '../../../src/app/page/dataset-library';
import { createReader } from '../../../src/app/session/reading';
import { refusalOf } from '../../model/refusal';

const workers = vi.hoisted(() => ({
  opened: [] as { isClosed: boolean; fail: () => void }[],
  preview: (): Promise<unknown> => Promise.resolve('read'),
}));

vi.mock('../../../src/app/session/worker-port', async (original) => ({
  ...(await original<object>()),
  openWorker: () => {
    let end: (reason: Error) => void = () => undefined;
    const ended = new Promise<never>((_, reject) => (end = reject));
    ended.catch(() => undefined);
    const worker = { isClosed: false, fail: () => end(new Error('failed')) };
    const read = (): Promise<unknown> => workers.preview();
    workers.opened.push(worker);
    const close = (): void => {
      worker.isClosed = true;
      end(new Error('closed'));
    };
    return { service: { preview: read, openRunFile: read, readHistory: read }, ended, close };
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
  workers.opened.length = 0;
});
afterEach(() => void vi.useRealTimers());

const file = new File([], 'x');

/** Expects that the reader closes its first worker after these seconds in which it answers nothing. */
async function expectClosedAfter(seconds: number, read: () => Promise<unknown>): Promise<void> {
  workers.preview = () => new Promise(() => undefined);
  const refused = refusalOf(read);
  await vi.advanceTimersByTimeAsync(1000 * seconds - 1000);
  expect(workers.opened[0].isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(workers.opened[0].isClosed).toBe(true);
  expect(await refused).toBe('app/import-silent');
}

it('a file that is never read to its end ends with its worker after a minute, and the next file has another', async () => {
  const library = createDatasetLibrary();
  await expectClosedAfter(60, () => library.preview(file));
  workers.preview = () => Promise.resolve('read');
  expect(await library.preview(file)).toBe('read');
  expect(workers.opened).toHaveLength(2);
});

it('a file of a run is given a second more for each megabyte, and then its worker is closed', async () => {
  const file = new Blob([new Uint8Array(10e6)]);
  await expectClosedAfter(70, () => createReader().read([file], (service) => service.openRunFile(file)));
});

it('the files of a class have one worker, and another one after a file that is refused', async () => {
  const { read: readFiles, close } = createReader();
  const read = (one: File) => readFiles([one], (service) => service.readHistory(one));
  workers.preview = () => Promise.resolve('read');
  await read(file);
  await read(file);
  expect(workers.opened).toHaveLength(1);
  workers.preview = () => Promise.reject(new Error('damaged'));
  await expect(read(file)).rejects.toThrow('damaged');
  workers.preview = () => Promise.resolve('read');
  await read(file);
  close();
  expect(workers.opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});

it('a worker that fails at a file is closed, since it may still be busy with that file', async () => {
  const library = createDatasetLibrary();
  workers.preview = () => new Promise(() => undefined);
  const refused = library.preview(file).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(0);
  workers.opened[0].fail();
  expect(await refused).toBeInstanceOf(Error);
  expect(workers.opened[0].isClosed).toBe(true);
});
