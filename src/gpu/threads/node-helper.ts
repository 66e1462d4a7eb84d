/** Helper threads and the file of tfjs's module in Node. A page loads this too, so Node's modules are asked of `process`. */
import { serveJobs } from './serve-jobs';
import type { StartHelper } from './pool';

export const isNode = globalThis.process?.release?.name === 'node';

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
