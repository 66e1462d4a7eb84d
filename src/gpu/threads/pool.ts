/**
 * Threads that share the memory of tfjs's wasm backend. The trainer's thread hands out jobs, each a kernel with its numbers,
 * takes its own share of them, and goes on when all are done. Jobs of one round write to different places and read
 * nothing that another one writes, so their order changes no bit.
 */
import { MarbleError } from '../../base/error';
import type { HelperData } from './serve-jobs';

/** A started helper thread. */
export interface Helper {
  /** Called once if the thread ends by itself. */
  onEnd(report: () => void): void;
  terminate(): void;
}

export type StartHelper = (data: HelperData) => Promise<Helper>;

export interface Pool {
  readonly threads: number;
  /** Adds a job to the round. */
  add(kernel: number, numbers: readonly number[]): void;
  /**
   * Runs the round.
   *
   * @throws MarbleError `gpu/helper-lost`
   */
  run(): void;
  close(): void;
}

const [TICKET, FINISHED, GENERATION, SLEEPING, WAITING, FAILED] = [0, 1, 2, 3, 4, 5];
const CONTROL_BYTES = 64;
const JOB_NUMBERS = 32;
/** The ticket has ten bits for the next job; a thread that finds no job counts one further. */
const MOST_JOBS = 1000;
const MOST_THREADS = 16;
const SPINS = 20_000;
/** Numbers of a panel: eight columns of 512 terms. */
const PANEL_BYTES = 4 * 8 * 512;
/** A job takes milliseconds. Without progress for so long a helper must have stopped. */
const LOST_AFTER_MS = 30_000;

export interface PoolOptions {
  module: WebAssembly.Module;
  kernelNames: readonly string[];
  memory: WebAssembly.Memory;
  /** Bytes of the memory that are never given back. */
  allocate: (bytes: number) => number;
  start: StartHelper;
}

/** @returns null where no helper starts: the trainer then works alone */
export async function openPool(threads: number, options: PoolOptions): Promise<Pool | null> {
  const { module, kernelNames, memory, allocate, start } = options;
  const control = new SharedArrayBuffer(CONTROL_BYTES + 8 * JOB_NUMBERS * MOST_JOBS);
  const words = new Int32Array(control, 0, CONTROL_BYTES / 4);
  const jobs = new Float64Array(control, CONTROL_BYTES);
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernels = kernelNames.map((name) => exports[name] as (...numbers: number[]) => void);
  (exports.usePanel as (address: number) => void)(allocate(PANEL_BYTES));
  const count = Math.min(threads, MOST_THREADS) - 1;
  const started = await Promise.allSettled(
    Array.from({ length: count }, () =>
      start({ module, memory, control, panel: allocate(PANEL_BYTES), kernelNames }),
    ),
  );
  const helpers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (helpers.length === 0) return null;

  let isClosed = false;
  let isLost = false;
  for (const helper of helpers) helper.onEnd(() => (isLost = !isClosed));
  let generation = 0;
  let added = 0;

  const refuse = (): never => {
    isLost = true;
    throw new MarbleError(
      'gpu/helper-lost',
      'A thread that computes a part of each step has stopped.',
      'Resume the run from its last checkpoint. If it comes again, set the number of threads to 1.',
    );
  };
  const runJob = (index: number): void => {
    const at = index * JOB_NUMBERS;
    kernels[jobs[at]](...jobs.subarray(at + 2, at + 2 + jobs[at + 1]));
  };
  const runTogether = (total: number): void => {
    generation = (generation + 1) & 0x7ff;
    Atomics.store(words, FINISHED, 0);
    Atomics.store(words, TICKET, (generation << 20) | (total << 10));
    Atomics.store(words, GENERATION, generation);
    if (Atomics.load(words, SLEEPING) > 0) Atomics.notify(words, GENERATION);
    for (;;) {
      const next = Atomics.add(words, TICKET, 1) & 1023;
      if (next >= total) break;
      runJob(next);
      Atomics.add(words, FINISHED, 1);
    }
    for (let spin = 0; spin < SPINS && Atomics.load(words, FINISHED) < total; spin++);
    if (Atomics.load(words, FINISHED) < total) waitForHelpers(total);
    if (Atomics.load(words, FAILED) === 1) refuse();
  };
  const waitForHelpers = (total: number): void => {
    Atomics.store(words, WAITING, 1);
    let progress = performance.now();
    for (let done; (done = Atomics.load(words, FINISHED)) < total;) {
      if (Atomics.wait(words, FINISHED, done, 5) !== 'timed-out') progress = performance.now();
      if (performance.now() - progress > LOST_AFTER_MS) refuse();
    }
    Atomics.store(words, WAITING, 0);
  };

  const pool: Pool = {
    threads: helpers.length + 1,
    add(kernel, numbers) {
      if (added === MOST_JOBS) pool.run();
      const at = added++ * JOB_NUMBERS;
      jobs[at] = kernel;
      jobs[at + 1] = numbers.length;
      jobs.set(numbers, at + 2);
    },
    run() {
      const total = added;
      added = 0;
      if (isLost) refuse();
      if (total > 1) runTogether(total);
      else if (total === 1) runJob(0);
    },
    close() {
      isClosed = true;
      Atomics.store(words, GENERATION, -1);
      Atomics.notify(words, GENERATION);
      for (const helper of helpers) helper.terminate();
    },
  };
  return pool;
}
