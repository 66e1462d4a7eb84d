/** Runs the check in a browser and posts its lines and its result to the server it came from. */
import { check } from './check';

const { href } = new URL('.', location.href);
const post = (path: string, body: string): Promise<unknown> =>
  fetch(`${href}${path}`, { method: 'POST', body });

const backend = new URLSearchParams(location.search).get('backend') === 'wasm' ? 'wasm' : 'webgpu';
const options = {
  backend,
  wasmUrl: `${href}tfjs-backend-wasm-simd.wasm`,
  modelUrl: `${href}models/ladder-25k/`,
  log: (line: string) => void post('line', line),
} as const;
check(options).then(
  (result) => post('result', JSON.stringify(result)),
  (error: unknown) =>
    post('error', error instanceof Error ? `${error.message}\n${error.stack}` : String(error)),
);
