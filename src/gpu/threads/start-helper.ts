/** Starts helper threads where nobody has given another way: in Node, and in a worker of somebody's page. */
import { serveJobs } from './serve-jobs';
import type { StartHelper } from './pool';

export const isNode = globalThis.process?.release?.name === 'node';

/** Whether this thread may block: the main thread of a page may not, so it cannot wait for helpers. */
export const mayBlock = isNode || 'WorkerGlobalScope' in globalThis;

/** tfjs's module in Node. A page loads this file too, so Node's modules are asked of `process`. */
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

/** @param worker - a fresh worker that answers its first message, the data, and then serves jobs */
export const startWorker = (worker: Worker): StartHelper => {
  let report = (): void => undefined;
  return (data) =>
    new Promise((resolve, reject) => {
      worker.addEventListener('error', (event) => {
        event.preventDefault(); // or the worker that started it would count as failed too
        report();
        reject(new Error(event.message));
      });
      const helper = { onEnd: (told: () => void) => (report = told), terminate: () => worker.terminate() };
      worker.addEventListener('message', () => resolve(helper), { once: true });
      worker.postMessage(data);
    });
};

/** A worker of its own text: a library does not know where its page has files of it. */
export const startTextHelper: StartHelper = (data) => {
  const code = `onmessage = ({ data }) => { postMessage('ready'); (${serveJobs.toString()})(data); };`;
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return startWorker(new Worker(address))(data).finally(() => URL.revokeObjectURL(address));
};
