/** Helper threads and the file of tfjs's module in Node. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { serveJobs } from './serve-jobs';
import type { StartHelper } from './pool';

export async function readTfjsModule(): Promise<Uint8Array<ArrayBuffer>> {
  const { resolve } = createRequire(import.meta.url);
  const file = resolve('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm');
  return Uint8Array.from(await readFile(file));
}

export const startNodeHelper: StartHelper = (data) =>
  new Promise((resolve, reject) => {
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
