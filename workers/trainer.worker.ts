/** The only code that owns the GPU in the page: a thin comlink service over the library. */
import { expose } from 'comlink';
import './border';
import wasmAddress from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import { MarbleError } from '../src/base/error';
import { sharedMemoryAvailable } from '../src/gpu/threads/shared-memory';
import threadAddress from './kernel-thread?worker&url';
import { ownAddresses } from './own-addresses';
import { createTrainerService } from './service';

const addressOf = ownAddresses({ thread: () => new URL(threadAddress, import.meta.url).href });

/** Starts a helper thread with `data` and resolves when it has answered. */
function startThread(data: unknown): Promise<Worker> {
  const thread = new Worker(addressOf('thread'), { type: 'module', name: 'marble-kernel-thread' });
  return new Promise((resolve, reject) => {
    thread.addEventListener('message', () => resolve(thread), { once: true });
    thread.addEventListener('error', ({ message }) =>
      reject(
        new MarbleError(
          'gpu/thread-failed',
          `A thread of this page failed: ${message || 'no reason given'}.`,
          'Reload the page; the run goes on from its last checkpoint.',
        ),
      ),
    );
    thread.postMessage(data);
  });
}

if (sharedMemoryAvailable()) void startThread(new SharedArrayBuffer(8));

expose(createTrainerService(new URL(wasmAddress, import.meta.url).href));
