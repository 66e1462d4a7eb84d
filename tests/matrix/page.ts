/** Runs the check in a browser; its promise is `globalThis.checked`. */
import wasm from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import { check } from './check';

const addressOf = (path: string): string => new URL(path, location.href).href;
const checked = check({
  wasmUrl: addressOf(wasm),
  modelUrl: addressOf('models/ladder-25k/'),
  log: (line) => console.log(line),
});
Object.assign(globalThis, { checked });
