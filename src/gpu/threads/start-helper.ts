/** Default ways to start helper threads: in Node, and in a worker of a page that embeds the library. */
import { serveJobs } from './serve-jobs';
import type { StartHelper } from './pool';

export const isNode = globalThis.process?.release?.name === 'node';

/** True if this thread may block. The main thread of a page may not, so it cannot wait for helpers. */
export const mayBlock = isNode || 'WorkerGlobalScope' in globalThis;

/** Reads tfjs's module in Node. Pages load this file too, so it gets Node's modules from `process`. */
export async function readTfjsModule(): Promise<Uint8Array<ArrayBuffer>> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  const { createRequire } = process.getBuiltinModule('node:module');
  const { resolve } = createRequire(import.meta.url);
  const file = resolve('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm');
  return Uint8Array.from(await readFile(file));
}

export const startNodeHelper: StartHelper = (data) =>
  new Promise((resolve, reject) => {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const code = `const { parentPort, workerData } = require('node:worker_threads');
      parentPort.postMessage('ready');
      (${serveJobs.toString()})(workerData);`;
    const worker = new Worker(code, { eval: true, workerData: data });
    worker.once('error', reject);
    worker.once('message', () => {
      worker.unref();
      resolve({
        onEnd: (report) => {
          worker.once('error', report);
          worker.once('exit', report);
        },
        terminate: () => void worker.terminate(),
      });
    });
  });

/** @param worker - a new worker, which answers its first message (the data) and then serves jobs */
export const startWorker = (worker: Worker): StartHelper => {
  let report = (): void => undefined;
  return (data) =>
    new Promise((resolve, reject) => {
      worker.addEventListener('error', (event) => {
        event.preventDefault(); // otherwise the parent worker fails too
        report();
        reject(new Error(event.message));
      });
      const helper = { onEnd: (told: () => void) => (report = told), terminate: () => worker.terminate() };
      worker.addEventListener('message', () => resolve(helper), { once: true });
      worker.postMessage(data);
    });
};

/** Starts a worker from source text, since a library does not know the URLs of its files in a page. */
export const startTextHelper: StartHelper = (data) => {
  const code = `onmessage = ({ data }) => { postMessage('ready'); (${serveJobs.toString()})(data); };`;
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return startWorker(new Worker(address))(data).finally(() => URL.revokeObjectURL(address));
};
