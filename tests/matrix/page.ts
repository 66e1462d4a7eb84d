/** Runs the check in a browser; its promise is `globalThis.checked`. */
import wasm from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import { check } from './check';

const addressOf = (path: string): string => new URL(path, location.href).href;
const backend = new URLSearchParams(location.search).get('backend') === 'wasm' ? 'wasm' : 'webgpu';
const checked = check({
  backend,
  wasmUrl: addressOf(wasm),
  modelUrl: addressOf('models/ladder-25k/'),
  log: (line) => console.log(line),
});
Object.assign(globalThis, { checked });
