/** How the benches time, and the lines that they print. */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../src/gpu/engine';
import type { BufferRange } from '../src/gpu/webgpu-backend';

/** For how long the benches run, and where their figures go. */
export interface Bench {
  /** One timed run of each instead of four, and small shapes: a few minutes for all. */
  quick: boolean;
  /** The figures, beside the console. */
  figures: Record<string, unknown>[];
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
export async function timeOnce(run: () => Promise<unknown>): Promise<Measured> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** By each measure for itself. */
export function medianOf(times: readonly Measured[]): Measured {
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return { ms: middle(times.map(({ ms }) => ms)), cpuMs: middle(times.map(({ cpuMs }) => cpuMs)) };
}

async function shortestOf({ quick }: Bench, run: () => Promise<unknown>): Promise<Measured> {
  const times: Measured[] = [];
  const begun = performance.now();
  const repeats = quick ? 1 : REPEATS;
  while (times.length < repeats && performance.now() - begun < 1000 * LONGEST_SECONDS)
    times.push(await timeOnce(run));
  const least = (of: keyof Measured): number => round(Math.min(...times.map(({ [of]: time }) => time)));
  return { ms: least('ms'), cpuMs: least('cpuMs') };
}

interface Commands {
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
async function countCommands(engine: Engine, run: () => Promise<unknown>): Promise<Commands> {
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
interface Figures extends Measured {
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

/** One JSON line: the figure, and the adapter on which it was measured. */
export function report({ figures }: Bench, adapter: string, figure: Record<string, unknown>): void {
  figures.push(figure);
  console.log(JSON.stringify({ adapter, ...figure }));
}
