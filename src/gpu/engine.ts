/**
 * Opens a compute backend: WebGPU on a device that Marble requests, or tfjs's wasm backend without WebGPU.
 *
 * Only one engine can be open, since tfjs has one current backend. Marble imports `@tensorflow/tfjs-core`, not the
 * union package, whose other half is unused. Gradients come from `recorded-tape.ts`.
 */
import * as tf from '@tensorflow/tfjs-core';
import { fetchInTime } from '../base/fetch-in-time';
import { checkKeys } from '../base/known-keys';
import './recorded-tape';
import { MarbleError } from '../base/error';
import type { Capabilities } from './capabilities';
import { describeDevice, probeAdapter, requestDevice } from './capabilities';
import { chooseImplementations, loadImplementations } from './implementations';
import {
  countAllocations,
  keepRoom,
  heapAllocate,
  heapMemory,
  heapModule,
  requireKnownHeap,
  shareClones,
  type HeapCount,
} from './wasm-heap';
import { closeKernels, openKernels, type Work } from './wasm-kernels';
import type { StartHelper } from './threads/pool';
import { isNode, mayBlock, readTfjsModule, startNodeHelper, startTextHelper } from './threads/start-helper';
import { sharedMemoryAvailable, withSharedMemory } from './threads/shared-memory';
import type { CommandCounts, MarbleWebGPUBackend } from './webgpu/backend';

export type BackendName = 'webgpu' | 'wasm';

export interface EngineOptions {
  /** Defaults to WebGPU if there is an adapter, else to wasm. */
  backend?: BackendName;
  /** An existing device to use. `dispose` does not destroy it. */
  device?: GPUDevice;
  /** URL of `tfjs-backend-wasm-simd.wasm`. Node finds it in node_modules. */
  wasmUrl?: string;
  /** Number of wasm threads; 1 by default. More need Node or a worker of a cross-origin isolated page. */
  threads?: number;
  /**
   * Allows fused multiply-add (FMA) on wasm for policies with bf16 weights; true by default. A resumed run keeps its
   * setting.
   */
  fma?: boolean;
  /** Replaces the default start of a wasm helper thread, which is a worker made from a blob of text. */
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
  /** Number of compute threads; 1 on all backends except wasm. */
  readonly threads: number;
  /**
   * True if policies with bf16 weights use FMA, whose rounding differs from machines without it. Requires wasm with
   * relaxed SIMD.
   */
  readonly fma: boolean;
  /** Work counted so far by an engine that computes nothing (dry/engine.ts), and undefined on all others. */
  readonly work?: Work;
  /** Null on wasm. */
  readonly capabilities: Capabilities | null;
  /** Resolves with the reason when the device is lost; never on wasm or after `dispose`. */
  readonly lost: Promise<MarbleError>;
  memory(): MemoryReport;
  /** Resets `memory().peak` to the current total. */
  resetPeak(): void;
  /** Milliseconds that `check` takes on an idle device, since some browsers poll slowly. 0 on wasm. */
  readonly waitMs: number;
  /** Commands since the engine was opened; zeros on wasm. */
  counts(): CommandCounts;
  /**
   * Waits until all commands have run.
   *
   * @throws MarbleError `gpu/device-lost`, `gpu/out-of-memory` or `gpu/command-refused`
   */
  check(): Promise<void>;
  /** Frees all memory on the device. Tensors of this engine become invalid. */
  dispose(): void;
}

/** The open engine, if any. */
let open: Engine | 'opening' | null = null;

/**
 * Opens an engine, on which policies are loaded. Dispose of it before opening another.
 *
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
      open === 'opening' ? 'An engine is already opening.' : `An engine on ${open.backend} is already open.`,
      `${open === 'opening' ? 'Wait for it, then dispose' : 'Dispose'} of it before opening another: tfjs computes on one backend at a time.`,
    );
  }
  tf.enableProdMode(); // skips duplicate shape checks and tfjs's console message
  open = 'opening';
  try {
    const engine = await openBackend(options);
    chooseImplementations(engine.backend === 'webgpu' ? 'wgsl' : 'wasm');
    open = engine;
    return engine;
  } catch (error) {
    open = null;
    throw error;
  }
}

function close(): void {
  open = null;
  chooseImplementations(null);
}

async function openBackend(options: EngineOptions): Promise<Engine> {
  if (options.backend === 'wasm') return openWasm(options);
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
  const [{ MarbleWebGPUBackend }] = await Promise.all([
    import('./webgpu/backend'),
    loadImplementations('wgsl'),
  ]);
  const backend = new MarbleWebGPUBackend(device, info);
  removeWebGPU();
  tf.registerBackend('webgpu', () => backend, 3);
  await tf.setBackend('webgpu');
  await backend.waits.find();
  let disposed = false;
  return {
    ...webgpuEngine(backend, device, info),
    dispose: () => {
      if (disposed) return;
      disposed = true;
      close();
      removeWebGPU();
      if (owned) device.destroy();
    },
  };
}

/** Wraps a backend as an engine without `dispose`. */
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
      total: backend.buffers.usedBytes(),
      peak: backend.buffers.peakBytes,
      allocated: backend.buffers.allocatedBytes(),
    }),
    resetPeak: () => {
      backend.buffers.peakBytes = backend.buffers.usedBytes();
    },
    counts: () => ({ ...backend.counts }),
    check: () => backend.check(),
  };
}

async function openWasm({ wasmUrl, threads = 1, fma = true, startHelper }: EngineOptions): Promise<Engine> {
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false); // Marble uses its own threads: see threads/shared-memory.ts
  const inNode = wasmUrl === undefined && isNode;
  const start = startHelper ?? (isNode ? startNodeHelper : startTextHelper);
  const isShared = threads > 1 && mayBlock && sharedMemoryAvailable();
  const bytes = inNode ? await readTfjsModule() : isShared ? await fetchedModule(wasmUrl) : null;
  const address = wasmUrl ?? 'tfjs-backend-wasm-simd.wasm';
  if (wasmUrl !== undefined || bytes) {
    const names = ['tfjs-backend-wasm', 'tfjs-backend-wasm-simd', 'tfjs-backend-wasm-threaded-simd'];
    setWasmPaths(Object.fromEntries(names.map((name) => [`${name}.wasm`, address])), bytes !== null);
  }
  const open = (): Promise<void> => keepingListeners(activateWasm);
  await (bytes ? withFetched(isShared ? withSharedMemory(bytes) : bytes, open) : open());
  requireKnownHeap(tf.backend());
  shareClones();
  const memory = { memory: heapMemory(), allocate: heapAllocate };
  const kernels = await openKernels({ ...memory, threads: isShared ? threads : 1, fma, start });
  const module = heapModule();
  keepRoom(module);
  const count = countAllocations(module);
  await activateWasm(); // rebinds the C++ functions
  await loadImplementations('wasm');
  const factory = tf.findBackendFactory('wasm');
  let disposed = false;
  return {
    ...wasmEngine(count, () => module.asm.memory.buffer.byteLength),
    threads: kernels.threads,
    fma: kernels.fma,
    dispose: () => {
      if (disposed) return;
      disposed = true;
      closeKernels();
      close();
      tf.removeBackend('wasm');
      tf.registerBackend('wasm', factory, 1); // allows it to be opened again
    },
  };
}

/** An engine of one thread without `dispose`. Commands run synchronously, so nothing has to wait. */
export function wasmEngine(count: HeapCount, allocated: () => number): Omit<Engine, 'dispose'> {
  return {
    backend: 'wasm',
    threads: 1,
    fma: false,
    capabilities: null,
    lost: new Promise(() => undefined),
    waitMs: 0,
    memory: () => ({ total: count.used, peak: count.peak, allocated: allocated() }),
    resetPeak: () => {
      count.peak = count.used;
    },
    counts: () => ({ dispatches: 0, submits: 0, readbacks: 0 }),
    check: () => Promise.resolve(),
  };
}

/**
 * In Node, tfjs's C++ runtime adds listeners to the process that rethrow every uncaught error and
 * unhandled rejection, which ends the process despite the program's own listeners. This removes them.
 */
async function keepingListeners(open: () => Promise<void>): Promise<void> {
  if (!isNode) return open();
  const before = strayEvents.map((event) => process.listeners(event as 'exit'));
  await open();
  for (const [index, event] of strayEvents.entries()) {
    const added = process.listeners(event as 'exit').filter((listener) => !before[index].includes(listener));
    for (const listener of added) process.off(event, listener);
  }
}

const strayEvents = ['uncaughtException', 'unhandledRejection'] as const;

/** Fetches tfjs's module. Returns null on failure, which tfjs then reports itself. */
async function fetchedModule(wasmUrl: string | undefined): Promise<Uint8Array<ArrayBuffer> | null> {
  if (wasmUrl === undefined) return null;
  const bytes = async (response: Response) =>
    response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  return fetchInTime(wasmUrl, bytes).catch(() => null);
}

/** Makes tfjs's platform fetch return these bytes while `open` runs. */
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

async function activateWasm(): Promise<void> {
  if (await tf.setBackend('wasm').catch(() => false)) return;
  throw new MarbleError(
    'gpu/no-wasm',
    'The WebAssembly backend could not be started: its .wasm file did not load or the browser lacks SIMD.',
    'Try again; if it comes again, use a current browser or another backend.',
  );
}

function removeWebGPU(): void {
  if (tf.findBackendFactory('webgpu') != null) tf.removeBackend('webgpu');
}
