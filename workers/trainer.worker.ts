/** The only code that owns the GPU in the page: a thin comlink service over the library. */
import { expose } from 'comlink';
import './border';
import wasmAddress from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import { startHelper } from './helper-threads';
import { createTrainerService } from './service';

expose(createTrainerService(new URL(wasmAddress, import.meta.url).href, startHelper));
