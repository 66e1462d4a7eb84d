/** How the benches time, and the lines that they print. */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import type { BufferRange } from '../src/gpu/webgpu-backend';
import type { ModelSource } from '../src/model/source/source';

/** What Node and a page in Chromium do differently. */
export interface Place {
  name: 'node' | 'chromium';
  /** CPU time of the processes that compute, in milliseconds from some moment on. */
  cpuMs(): Promise<number>;
  /** The checkpoint in a folder of the project. */
  model(folder: string): Promise<ModelSource>;
  /** Address of tfjs's wasm file; Node finds it by itself. */
  wasmUrl?: string;
}

/** Where the benches run and for how long: set once, before the first. */
export interface Bench {
  place: Place;
  /** One timed run of each instead of four, and small shapes: a few minutes for all. */
  quick: boolean;
  /** Takes the figures beside the console, where they become a file. */
  figures?: Record<string, unknown>[];
}

export interface Measured {
  /** Shortest wall time of one run, in milliseconds. */
  ms: number;
  /** CPU time in the run that used least, in milliseconds; says more than `ms` on a busy machine. */
  cpuMs: number;
}

const REPEATS = 4;
const LONGEST_SECONDS = 12;

/** @param run one run, resolved when its work is done */
export async function measure(bench: Bench, run: () => Promise<unknown>): Promise<Measured> {
  await run();
  return shortestOf(bench, run);
}

/** One run. */
export async function timeOnce({ place }: Bench, run: () => Promise<unknown>): Promise<Measured> {
  const cpu = await place.cpuMs();
  const start = performance.now();
  await run();
  const ms = performance.now() - start;
  return { ms, cpuMs: (await place.cpuMs()) - cpu };
}

/** By each measure for itself. */
export function medianOf(times: readonly Measured[]): { ms: number; cpuMs: number } {
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return { ms: middle(times.map(({ ms }) => ms)), cpuMs: middle(times.map(({ cpuMs }) => cpuMs)) };
}

async function shortestOf({ place, quick }: Bench, run: () => Promise<unknown>): Promise<Measured> {
  let ms = Infinity;
  let cpuMs = Infinity;
  const begun = performance.now();
  const repeats = quick ? 1 : REPEATS;
  for (let repeat = 0; repeat < repeats && performance.now() - begun < 1000 * LONGEST_SECONDS; repeat++) {
    const cpu = await place.cpuMs();
    const start = performance.now();
    await run();
    ms = Math.min(ms, performance.now() - start);
    cpuMs = Math.min(cpuMs, (await place.cpuMs()) - cpu);
  }
  return { ms: round(ms), cpuMs: round(cpuMs) };
}

export interface Commands {
  dispatches: number;
  readbacks: number;
  /** Bytes of all that the dispatches had bound; of an embedding's table only the rows that it took. */
  boundBytes: number;
}

/** The parts of the backend that every dispatch passes. */
interface Dispatching {
  dispatch: (
    pipeline: GPUComputePipeline,
    layout: unknown,
    buffers: readonly (tf.TensorInfo | BufferRange | null)[],
    ...rest: unknown[]
  ) => void;
  runWebGPUProgram: (program: unknown, inputs: tf.TensorInfo[], ...rest: unknown[]) => tf.TensorInfo;
}

/** What one call of `run` sends to the GPU. */
export async function countCommands(engine: Engine, run: () => Promise<unknown>): Promise<Commands> {
  if (engine.backend !== 'webgpu') {
    await run();
    return { dispatches: 0, readbacks: 0, boundBytes: 0 };
  }
  const backend = tf.backend() as unknown as Dispatching;
  const bytesOf = (bound: tf.TensorInfo | BufferRange | null): number =>
    bound === null ? 0 : 'tensor' in bound ? bound.byteLength : 4 * tf.util.sizeFromShape(bound.shape);
  let boundBytes = 0;
  const { dispatch, runWebGPUProgram } = backend;
  const before = engine.counts();
  backend.dispatch = (pipeline, layout, buffers, ...rest) => {
    const sizes = buffers.map(bytesOf);
    // a gather reads as much of its table as it writes
    boundBytes += /^embedding (f32|bf16)/.test(pipeline.label)
      ? 2 * sizes[sizes.length - 1]
      : sizes.reduce((sum, size) => sum + size, 0);
    dispatch.call(backend, pipeline, layout, buffers, ...rest);
  };
  backend.runWebGPUProgram = (program, inputs, ...rest) => {
    const output = runWebGPUProgram.call(backend, program, inputs, ...rest);
    boundBytes += [...inputs, output].reduce((sum, bound) => sum + bytesOf(bound), 0);
    return output;
  };
  try {
    await run();
  } finally {
    Object.assign(backend, { dispatch, runWebGPUProgram });
  }
  const after = engine.counts();
  return {
    dispatches: after.dispatches - before.dispatches,
    readbacks: after.readbacks - before.readbacks,
    boundBytes,
  };
}

/** What a line tells of a run: its time, and what it sends to the GPU. */
export interface Figures extends Measured {
  dispatches: number;
  readbacks: number;
  boundMegabytes: number;
}

/** Counts the first run, which compiles, and times those after it. */
export async function measureWithCommands(
  bench: Bench,
  engine: Engine,
  run: () => Promise<unknown>,
): Promise<Figures> {
  const { dispatches, readbacks, boundBytes } = await countCommands(engine, run);
  const time = await shortestOf(bench, run);
  return { ...time, dispatches, readbacks, boundMegabytes: round(1e-6 * boundBytes) };
}

export const round = (value: number): number => Number(value.toPrecision(4));

/** GFLOP/s of a matrix product. */
export const productRate = (m: number, n: number, k: number, ms: number): number =>
  round((2e-6 * m * n * k) / ms);

/** One JSON line: the figure, and the adapter and the place where it was measured. */
export function report({ place, figures }: Bench, adapter: string, figure: Record<string, unknown>): void {
  figures?.push(figure);
  console.log(JSON.stringify({ place: place.name, adapter, ...figure }));
}
