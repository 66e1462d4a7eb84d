/**
 * The kernels of the wasm backend (src/ops/assembly) on tfjs's memory, with one or more threads.
 *
 * Work is split only along loops that are not summed over: rows and columns of a product, matrices of a batch, rows
 * of a row kernel. The results are therefore bitwise equal to those of one thread.
 */
import type { kernelNames } from './kernel-module';
import { isNode } from './threads/start-helper';
import { openPool, PANEL_BYTES, type Pool, type StartHelper } from './threads/pool';
import { withSharedMemory } from './threads/shared-memory';

export type KernelName = Exclude<(typeof kernelNames)[number], 'usePanel'> | 'fmaProduct';
type Kernel = (...numbers: number[]) => void;
type Kernels = Record<string, Kernel>;

/** Runs kernels on the heap, or counts them on a dry engine (`countingKernels`). */
export interface KernelRunner {
  readonly threads: number;
  /** True if products of policies with bf16 weights use FMA. */
  readonly fma: boolean;
  call(kernel: KernelName, numbers: readonly number[]): void;
  together(add: () => void): void;
  inParts(flops: number, run: (parts: number) => void): void;
  close(): void;
}

export interface KernelOptions {
  memory: WebAssembly.Memory;
  /** Allocates bytes of the memory that are never freed. */
  allocate: (bytes: number) => number;
  threads: number;
  /** Allows FMA in products of policies with bf16 weights. */
  fma: boolean;
  start: StartHelper;
}

let open: KernelRunner | null = null;

/** Makes `call` and its relatives use this runner. @returns the previous one */
export function useKernels(runner: KernelRunner | null): KernelRunner | null {
  const before = open;
  open = runner;
  return before;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export async function openKernels(options: KernelOptions): Promise<KernelRunner> {
  const { memory, allocate, threads, start } = options;
  const isShared = !(memory.buffer instanceof ArrayBuffer);
  const { fmaModule, kernelModule, kernelNames } = await import('./kernel-module');
  const panel = allocate(PANEL_BYTES);
  const load = async (base64: string): Promise<{ module: WebAssembly.Module; kernels: Kernels }> => {
    const bytes = bytesOf(base64);
    const module = await WebAssembly.compile(isShared ? withSharedMemory(bytes) : bytes);
    const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
    const kernels = exports as Kernels;
    kernels.usePanel(panel);
    return { module, kernels };
  };
  const separate = await load(kernelModule);
  const modules: { module: WebAssembly.Module; names: readonly string[] }[] = [
    { module: separate.module, names: kernelNames },
  ];
  const run: Kernels = { ...separate.kernels };
  if (options.fma && hasRelaxedSimd(bytesOf(fmaModule))) {
    const { module, kernels } = await load(fmaModule);
    if (roundsOnce(kernels.product, memory, panel)) {
      modules.push({ module, names: ['product'] });
      run.fmaProduct = kernels.product;
    }
  }
  const fma = 'fmaProduct' in run;
  const names = [...kernelNames, ...(fma ? ['fmaProduct'] : [])];
  const kernels = names.map((name) => run[name]);
  const pool =
    isShared && threads > 1 ? await openPool(threads, { modules, kernels, memory, allocate, start }) : null;
  open = heapRunner(run, names, pool);
  return open;
}

/** Minimum FLOPs that justify waking another thread (`WORTH`), and FLOPs per part of large work (`PART`). */
const WORTH = 400_000;
const PART = 4_000_000;

/** @param names of the kernels, in the order of their ids in jobs */
function heapRunner(run: Kernels, names: readonly string[], pool: Pool | null): KernelRunner {
  const ids = Object.fromEntries(names.map((name, id) => [name, id]));
  let depth = 0;
  /** FLOPs of the round that `together` collects. */
  let roundWork = 0;
  const together = (add: () => void): void => {
    if (depth === 0) roundWork = 0;
    depth += 1;
    try {
      add();
    } finally {
      depth -= 1;
    }
    if (depth === 0) pool?.run(roundWork >= WORTH);
  };
  return {
    threads: pool?.threads ?? 1,
    fma: 'fmaProduct' in run,
    call(kernel, numbers) {
      if (pool && depth > 0) pool.add(ids[kernel], numbers);
      else run[kernel](...numbers);
    },
    together,
    inParts: (flops, work) =>
      together(() => {
        roundWork += flops;
        const isWhole = !pool || flops < WORTH;
        work(isWhole ? 1 : Math.max(pool.threads, Math.min(4 * pool.threads, Math.floor(flops / PART))));
      }),
    close: () => pool?.close(),
  };
}

/** Returns whether modules with relaxed SIMD are supported. In Node 20 this sets the V8 flag that enables them. */
function hasRelaxedSimd(module: Uint8Array<ArrayBuffer>): boolean {
  if (isNode && process.versions.node.startsWith('20.'))
    process.getBuiltinModule('node:v8').setFlagsFromString('--experimental-wasm-relaxed-simd');
  return WebAssembly.validate(module);
}

/**
 * Returns whether the processor has FMA. With x = 1 + 2^-12, the last bit of x x - 1 is lost if the product is
 * rounded separately.
 *
 * @param panel scratch memory, which is overwritten
 */
function roundsOnce(product: Kernel, memory: WebAssembly.Memory, panel: number): boolean {
  const x = 1 + 2 ** -12;
  const view = new DataView(memory.buffer, panel, 12);
  const [a, d, c] = [panel, panel + 4, panel + 8];
  view.setFloat32(0, x, true);
  view.setFloat32(4, -1, true);
  product(a, a, c, 1, 1, 1, 1, 0, 0, 0, 4, 4, 4, 4, 4, d, 4, 0, 0);
  return view.getFloat32(8, true) === x * x - 1;
}

export function closeKernels(): void {
  open?.close();
  open = null;
}

/** The kernel for products that may use FMA. The product without it is bitwise equal on every machine. */
export const fmaProduct = (): KernelName => (open!.fma ? 'fmaProduct' : 'product');

export const threadsOpen = (): number => open!.threads;

/** Runs a kernel, or adds it to the round that `together` collects. */
export const call = (kernel: KernelName, numbers: readonly number[]): void => open!.call(kernel, numbers);

/** Runs all kernels that `add` calls as one round. None may read the output of another. */
export const together = (add: () => void): void => open!.together(add);

/**
 * Runs work of `flops` operations as a round, or as part of the round that `together` collects. `run` splits it into
 * parts.
 */
export const inParts = (flops: number, run: (parts: number) => void): void => open!.inParts(flops, run);

/** Splits `count` into about `parts` ranges whose boundaries are multiples of `step`. */
export function* piecesOf(
  count: number,
  parts: number,
  step: number,
): Generator<[first: number, size: number]> {
  const size = Math.max(step, Math.ceil(count / parts / step) * step);
  for (let first = 0; first < count; first += size) yield [first, Math.min(size, count - first)];
}

/** Work that a dry engine counts. */
export interface Work {
  /** Multiplications and additions. Other operations count in proportion to their time. */
  flops: number;
  /** Number of kernel calls. Each has a fixed overhead. */
  calls: number;
}

/** Counts the kernels of the wasm backend instead of running them. */
export const countingKernels = (work: Work): KernelRunner => ({
  threads: 1,
  fma: false,
  call: () => void (work.calls += 1),
  together: (add) => add(),
  inParts(flops, run) {
    work.flops += flops;
    run(1);
  },
  close: () => undefined,
});
