/** The page in which Chromium runs the bench: suites and length come in the address, lines go to the console. */
import wasmAddress from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import type { Place } from '../measure';
import { runSuites, type Suite } from '../suites';

/** What the program outside gives to the page. */
interface Outside {
  cpuMs(): Promise<number>;
  /** The bench is over, with this error or none. */
  ended(error: string | null): Promise<void>;
}

const outside = globalThis as unknown as Outside;
const place: Place = {
  name: 'chromium',
  cpuMs: () => outside.cpuMs(),
  model: (folder) => Promise.resolve({ url: new URL(folder.replace(/^public\//, '/'), location.href).href }),
  wasmUrl: new URL(wasmAddress, location.href).href,
};

const settings = new URLSearchParams(location.search);
const wanted = (settings.get('suites') ?? '').split(',') as Suite[];
runSuites({ place, quick: settings.has('quick') }, wanted).then(
  () => outside.ended(null),
  (error: unknown) => outside.ended(error instanceof Error ? (error.stack ?? error.message) : String(error)),
);
