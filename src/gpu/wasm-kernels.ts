/**
 * The kernels of the wasm backend (src/ops/assembly) over the memory of tfjs, on one thread or several. Only loops that no
 * sum runs over are divided: rows and columns of a product, matrices of a batch, rows of a row kernel. So every number
 * has the bits that one thread gives.
 */
import { countsCall, countsFlops, dryWork } from './dry/work';
import type { kernelNames } from './kernel-module';
import { openPool, PANEL_BYTES, type Pool, type StartHelper } from './threads/pool';
import { withSharedMemory } from './threads/shared-memory';

export type KernelName = Exclude<(typeof kernelNames)[number], 'usePanel'>;
type Kernel = (...numbers: number[]) => void;

interface OpenKernels {
  run: Record<string, Kernel>;
  /** Positions of the names, by which a round's jobs call a kernel. */
  ids: Record<string, number>;
  pool: Pool | null;
}

export interface KernelOptions {
  memory: WebAssembly.Memory;
  /** Bytes of the memory that are never given back. */
  allocate: (bytes: number) => number;
  threads: number;
  start: StartHelper;
}

let open: OpenKernels | null = null;
let depth = 0;
/** Floating-point operations of the round that `together` collects. */
let roundWork = 0;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** @returns how many threads compute */
export async function openKernels({ memory, allocate, threads, start }: KernelOptions): Promise<number> {
  const isShared = !(memory.buffer instanceof ArrayBuffer);
  const { kernelModule, kernelNames } = await import('./kernel-module');
  const bytes = bytesOf(kernelModule);
  const module = await WebAssembly.compile(isShared ? withSharedMemory(bytes) : bytes);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  const run = exports as Record<string, Kernel>;
  run.usePanel(allocate(PANEL_BYTES));
  const pool =
    isShared && threads > 1
      ? await openPool(threads, { module, kernelNames, run, memory, allocate, start })
      : null;
  open = { run, ids: Object.fromEntries(kernelNames.map((name, id) => [name, id])), pool };
  return pool?.threads ?? 1;
}

export function closeKernels(): void {
  open?.pool?.close();
  open = null;
}

/** Runs a kernel, or adds it to the round of jobs where `together` collects one. */
export function call(kernel: KernelName, numbers: readonly number[]): void {
  if (countsCall()) return;
  const { run, ids, pool } = open!;
  if (pool && depth > 0) pool.add(ids[kernel], numbers);
  else run[kernel](...numbers);
}

/** Runs all kernels that `add` calls as one round: none of them may read what another one writes. */
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

/** Floating-point operations from which on another thread is worth waking, and those of a part where there are enough. */
const WORTH = 400_000;
const PART = 4_000_000;

/** In how many parts so much work is cut. */
export function partsOf(flops: number): number {
  if (countsFlops(flops)) return 1;
  const { pool } = open!;
  roundWork += flops;
  if (!pool || flops < WORTH) return 1;
  return Math.max(pool.threads, Math.min(4 * pool.threads, Math.floor(flops / PART)));
}

export const threadsOpen = (): number => open?.pool?.threads ?? 1;

/** A range of `count` in about `parts` pieces, whose borders are multiples of `step`. */
export function* piecesOf(
  count: number,
  parts: number,
  step: number,
): Generator<[first: number, size: number]> {
  const size = Math.max(step, Math.ceil(count / parts / step) * step);
  for (let first = 0; first < count; first += size) yield [first, Math.min(size, count - first)];
}
