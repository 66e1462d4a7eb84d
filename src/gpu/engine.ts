/**
 * Opens the machine that computes: WebGPU on a device of our own, or tfjs's wasm backend where there is none. tfjs's cpu
 * backend, slow and plain, runs only where it is asked for by name.
 *
 * One engine is open at a time, since tfjs has one current backend. `@tensorflow/tfjs-core` is imported and never the
 * union package, whose other half nothing here uses; its gradients come with `register_all_gradients`.
 */
import * as tf from '@tensorflow/tfjs-core';
import { checkKeys } from '../base/known-keys';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { MarbleError } from '../base/error';
import type { Capabilities } from './capabilities';
import { describeDevice, probeAdapter, requestDevice } from './capabilities';
import { fetchParts } from './backend-parts';
import { countAllocations, nameHeapFaults } from './heap-count';
import { heapAllocate, heapMemory, heapModule, requireKnownHeap, shareClones } from './wasm-heap';
import { closeKernels, openKernels } from './wasm-kernels';
import type { StartHelper } from './threads/pool';
import { isNode, mayBlock, readTfjsModule, startNodeHelper, startTextHelper } from './threads/start-helper';
import { sharedMemoryAvailable, withSharedMemory } from './threads/shared-memory';
import type { CommandCounts, MarbleWebGPUBackend } from './webgpu-backend';

export type BackendName = 'webgpu' | 'wasm' | 'cpu';

export interface EngineOptions {
  /** WebGPU where there is an adapter, else wasm, when absent. */
  backend?: BackendName;
  /** A device to compute on instead of one of our own; it is not destroyed on `dispose`. */
  device?: GPUDevice;
  /** Address of `tfjs-backend-wasm-simd.wasm`; Node finds it in node_modules. */
  wasmUrl?: string;
  /** Threads that compute on wasm; 1 when absent. More need Node, or a worker of a page that is cross-origin isolated. */
  threads?: number;
  /** Whether a policy with bf16 weights may use fused multiply-add (FMA) on wasm; true when absent. A run goes on as it began. */
  fma?: boolean;
  /** Starts a helper thread of wasm in another way than by a worker of its own text. */
  startHelper?: StartHelper;
}

/** Bytes on the device. */
export interface MemoryReport {
  /** In use now. */
  total: number;
  /** Largest `total` since the engine was opened or `resetPeak` was called. */
  peak: number;
  /** Held by the device, buffers kept for reuse included. */
  allocated: number;
}

export interface Engine {
  readonly backend: BackendName;
  /** How many threads compute: 1 but on wasm. */
  readonly threads: number;
  /** Whether policies with bf16 weights use FMA, which rounds otherwise than machines without it: on wasm with relaxed SIMD. */
  readonly fma: boolean;
  /** Null on wasm and cpu. */
  readonly capabilities: Capabilities | null;
  /** Resolves with the reason when the device is lost; never on wasm, cpu or after `dispose`. */
  readonly lost: Promise<MarbleError>;
  memory(): MemoryReport;
  /** Lets `memory().peak` start again from now. */
  resetPeak(): void;
  /** Milliseconds that `check` takes where nothing runs: a browser may ask only now and then. 0 on wasm and cpu. */
  readonly waitMs: number;
  /** Commands since the engine was opened; zeros on wasm and cpu. */
  counts(): CommandCounts;
  /**
   * Waits until all commands have run.
   *
   * @throws MarbleError `gpu/device-lost`, `gpu/out-of-memory` or `gpu/command-refused`
   */
  check(): Promise<void>;
  /** Gives pooled buffers that no tensor uses back to the device. */
  trim(): void;
  /** Frees everything on the device. Tensors of this engine are dead afterwards. */
  dispose(): void;
}

/** Whose engine is open; tfjs has one current backend. */
let open: Engine | null = null;

/**
 * @throws MarbleError `gpu/engine-open`, `gpu/no-webgpu`, `gpu/no-device`, `gpu/no-wasm`
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  checkKeys('openEngine', options, {
    ...{ backend: true, device: true, wasmUrl: true },
    ...{ threads: true, fma: true, startHelper: true },
  });
  if (open) {
    throw new MarbleError(
      'gpu/engine-open',
      `An engine on ${open.backend} is already open.`,
      'Dispose of it before opening another: tfjs computes on one backend at a time.',
    );
  }
  tf.enableProdMode(); // no shape-checking twice, no advertisement on the console
  const engine = await openBackend(options);
  open = engine;
  return engine;
}

async function openBackend(options: EngineOptions): Promise<Engine> {
  if (options.backend === 'wasm') return openWasm(options);
  if (options.backend === 'cpu') return openCpu();
  if (options.device) return openWebGPU(options.device, options.device.adapterInfo, false);
  const adapter = await probeAdapter();
  if (adapter) return openWebGPU(await requestDevice(adapter), adapter.info, true);
  if (options.backend === 'webgpu') throw noAdapter();
  return openWasm(options);
}

export function noAdapter(): MarbleError {
  return new MarbleError(
    'gpu/no-webgpu',
    'There is no WebGPU adapter here.',
    'Use a current Chrome, Edge, Safari or Firefox with hardware acceleration on, or choose the wasm backend.',
  );
}

async function openWebGPU(device: GPUDevice, info: GPUAdapterInfo, owned: boolean): Promise<Engine> {
  const [{ MarbleWebGPUBackend }] = await Promise.all([import('./webgpu-backend'), fetchParts('webgpu')]);
  tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', 3); // every other choice meets wrong or unsteady matmuls
  tf.env().set('WEBGPU_CPU_FORWARD', false); // or small ops run on the CPU, on values that may be stale
  tf.env().set('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE', 64); // a third of the JavaScript time per op at 15
  const backend = new MarbleWebGPUBackend(device, info);
  removeBackend('webgpu');
  tf.registerBackend('webgpu', () => backend, 3);
  await activate('webgpu');
  await backend.waits.find();
  let disposed = false;
  return {
    ...webgpuEngine(backend, device, info),
    dispose: () => {
      if (disposed) return;
      disposed = true;
      open = null;
      removeBackend('webgpu');
      if (owned) device.destroy();
    },
  };
}

/** The engine over a backend, without its end. */
export function webgpuEngine(
  backend: MarbleWebGPUBackend,
  device: GPUDevice,
  info: GPUAdapterInfo,
): Omit<Engine, 'dispose'> {
  return {
    backend: 'webgpu',
    threads: 1,
    fma: false,
    capabilities: describeDevice(device, info),
    lost: backend.lost,
    waitMs: backend.waits.ms,
    memory: () => ({
      total: backend.usedBytes(),
      peak: backend.peakBytes,
      allocated: backend.allocatedBytes(),
    }),
    resetPeak: () => {
      backend.peakBytes = backend.usedBytes();
    },
    counts: () => ({ ...backend.counts }),
    check: () => backend.check(),
    trim: () => backend.trim(),
  };
}

async function openWasm({ wasmUrl, threads = 1, fma = true, startHelper }: EngineOptions): Promise<Engine> {
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false); // its own threads: see threads/shared-memory.ts
  const inNode = wasmUrl === undefined && isNode;
  const start = startHelper ?? (isNode ? startNodeHelper : startTextHelper);
  const isShared = threads > 1 && mayBlock && sharedMemoryAvailable();
  const bytes = inNode ? await readTfjsModule() : isShared ? await fetchedModule(wasmUrl) : null;
  const address = wasmUrl ?? 'tfjs-backend-wasm-simd.wasm';
  if (wasmUrl !== undefined || bytes) {
    const names = ['tfjs-backend-wasm', 'tfjs-backend-wasm-simd', 'tfjs-backend-wasm-threaded-simd'];
    setWasmPaths(Object.fromEntries(names.map((name) => [`${name}.wasm`, address])), bytes !== null);
  }
  const open = (): Promise<void> => activate('wasm');
  await (bytes ? withFetched(isShared ? withSharedMemory(bytes) : bytes, open) : open());
  requireKnownHeap(tf.backend());
  shareClones();
  const memory = { memory: heapMemory(), allocate: heapAllocate };
  const kernels = await openKernels({ ...memory, threads: isShared ? threads : 1, fma, start });
  const module = heapModule();
  const count = countAllocations(module);
  nameHeapFaults(module);
  await activate('wasm'); // binds the C++ functions again
  await fetchParts('wasm');
  const engine = plainEngine('wasm', {
    memory: () => ({ total: count.used, peak: count.peak, allocated: module.asm.memory.buffer.byteLength }),
    resetPeak: () => {
      count.peak = count.used;
    },
  });
  return {
    ...engine,
    threads: kernels.threads,
    fma: kernels.fma,
    dispose: () => {
      closeKernels();
      engine.dispose();
    },
  };
}

/** tfjs's module; null where it does not arrive, which tfjs then reports itself. */
async function fetchedModule(wasmUrl: string | undefined): Promise<Uint8Array<ArrayBuffer> | null> {
  if (wasmUrl === undefined) return null;
  const response = await fetch(wasmUrl).catch(() => null);
  return response?.ok ? new Uint8Array(await response.arrayBuffer()) : null;
}

/** tfjs fetches its module through its platform; while `open` runs, it gets these bytes. */
async function withFetched<T>(bytes: Uint8Array<ArrayBuffer>, open: () => Promise<T>): Promise<T> {
  const { platform } = tf.env();
  const before = Object.getOwnPropertyDescriptor(platform, 'fetch');
  platform.fetch = () => Promise.resolve(new Response(bytes));
  try {
    return await open();
  } finally {
    if (before) Object.defineProperty(platform, 'fetch', before);
    else Reflect.deleteProperty(platform, 'fetch');
  }
}

async function openCpu(): Promise<Engine> {
  await import('@tensorflow/tfjs-backend-cpu');
  await activate('cpu');
  let peak = 0;
  const used = (): number => tf.memory().numBytes;
  return plainEngine('cpu', {
    memory: () => {
      peak = Math.max(peak, used());
      return { total: used(), peak, allocated: used() };
    },
    resetPeak: () => {
      peak = used();
    },
  });
}

/** wasm and cpu: nothing is sent off, and so nothing is waited for. */
function plainEngine(name: 'wasm' | 'cpu', heap: Pick<Engine, 'memory' | 'resetPeak'>): Engine {
  const factory = tf.findBackendFactory(name);
  let disposed = false;
  return {
    ...heap,
    backend: name,
    threads: 1,
    fma: false,
    capabilities: null,
    lost: new Promise(() => undefined),
    waitMs: 0,
    counts: () => ({ dispatches: 0, submits: 0, readbacks: 0 }),
    check: () => Promise.resolve(),
    trim: () => undefined,
    dispose: () => {
      if (disposed) return;
      disposed = true;
      open = null;
      tf.removeBackend(name);
      tf.registerBackend(name, factory, 1); // so that it can be opened again
    },
  };
}

async function activate(name: BackendName): Promise<void> {
  const ready = await tf.setBackend(name).catch(() => false);
  if (ready) return;
  if (name === 'wasm') {
    throw new MarbleError(
      'gpu/no-wasm',
      'The WebAssembly backend could not be started: its .wasm file did not load or the browser lacks SIMD.',
      'Try again; if it comes again, use a current browser or another backend.',
    );
  }
  throw new MarbleError(
    'gpu/no-backend',
    `tfjs could not start its ${name} backend.`,
    'Try again, or choose another backend.',
  );
}

function removeBackend(name: BackendName): void {
  if (tf.findBackendFactory(name) != null) tf.removeBackend(name);
}
