/**
 * The kernels of the wasm backend (src/ops/assembly) on tfjs's memory, with one or more threads.
 *
 * Work is split only along loops that are not summed over: rows and columns of a product, matrices of a batch, rows
 * of a row kernel. The results are therefore bitwise equal to those of one thread.
 */
import { countsCall, countsFlops, dryWork } from './dry/work';
import type { kernelNames } from './kernel-module';
import { isNode } from './threads/start-helper';
import { openPool, PANEL_BYTES, type Pool, type StartHelper } from './threads/pool';
import { withSharedMemory } from './threads/shared-memory';

export type KernelName = Exclude<(typeof kernelNames)[number], 'usePanel'> | 'fmaProduct';
type Kernel = (...numbers: number[]) => void;
type Kernels = Record<string, Kernel>;

interface OpenKernels {
  run: Kernels;
  /** Indices of the kernels, which jobs use to call them. */
  ids: Record<string, number>;
  pool: Pool | null;
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

export interface KernelsOpen {
  /** Number of compute threads. */
  threads: number;
  /** Whether products of policies with bf16 weights use FMA. */
  fma: boolean;
}

let open: OpenKernels | null = null;
let depth = 0;
/** FLOPs of the round that `together` collects. */
let roundWork = 0;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export async function openKernels(options: KernelOptions): Promise<KernelsOpen> {
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
  const plain = await load(kernelModule);
  const modules: { module: WebAssembly.Module; names: readonly string[] }[] = [
    { module: plain.module, names: kernelNames },
  ];
  const run: Kernels = { ...plain.kernels };
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
  open = { run, ids: Object.fromEntries(names.map((name, id) => [name, id])), pool };
  return { threads: pool?.threads ?? 1, fma };
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

/** The kernel for products that may use FMA. The plain product is bitwise equal on every machine. */
export const fmaProduct = (): KernelName => (open && 'fmaProduct' in open.run ? 'fmaProduct' : 'product');

export function closeKernels(): void {
  open?.pool?.close();
  open = null;
}

/** Runs a kernel, or adds it to the round that `together` collects. */
export function call(kernel: KernelName, numbers: readonly number[]): void {
  if (countsCall()) return;
  const { run, ids, pool } = open!;
  if (pool && depth > 0) pool.add(ids[kernel], numbers);
  else run[kernel](...numbers);
}

/** Runs all kernels that `add` calls as one round. None may read the output of another. */
export function together(add: () => void): void {
  if (dryWork() !== null) {
    add();
    return;
  }
  if (depth === 0) roundWork = 0;
  depth += 1;
  try {
    add();
  } finally {
    depth -= 1;
  }
  if (depth === 0) open!.pool?.run(roundWork >= WORTH);
}

/** Minimum FLOPs that justify waking another thread (`WORTH`), and FLOPs per part of large work (`PART`). */
const WORTH = 400_000;
const PART = 4_000_000;

/**
 * Runs work of `flops` operations as a round, or as part of the round that `together` collects. `run` splits it into
 * parts.
 */
export function inParts(flops: number, run: (parts: number) => void): void {
  if (countsFlops(flops)) {
    run(1);
    return;
  }
  together(() => {
    roundWork += flops;
    const { pool } = open!;
    const isWhole = !pool || flops < WORTH;
    run(isWhole ? 1 : Math.max(pool.threads, Math.min(4 * pool.threads, Math.floor(flops / PART))));
  });
}

export const threadsOpen = (): number => open?.pool?.threads ?? 1;

/** Splits `count` into about `parts` ranges whose boundaries are multiples of `step`. */
export function* piecesOf(
  count: number,
  parts: number,
  step: number,
): Generator<[first: number, size: number]> {
  const size = Math.max(step, Math.ceil(count / parts / step) * step);
  for (let first = 0; first < count; first += size) yield [first, Math.min(size, count - first)];
}
