/** The only code that owns the GPU in the page: a thin comlink service over the library. */
import { expose } from 'comlink';
import './border';
import wasmAddress from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import type { StartHelper } from '../src/gpu/threads/pool';
import { startWorker } from '../src/gpu/threads/start-helper';
import threadAddress from './kernel-thread?worker&url';
import { ownAddresses } from './own-addresses';
import { createTrainerService } from './service';

const addressOf = ownAddresses({ thread: () => new URL(threadAddress, import.meta.url).href });

const startHelper: StartHelper = (data) =>
  startWorker(new Worker(addressOf('thread'), { type: 'module', name: 'marble-kernel-thread' }))(data);

expose(createTrainerService(new URL(wasmAddress, import.meta.url).href, startHelper));
