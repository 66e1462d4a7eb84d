/**
 * A pool of threads that share the memory of tfjs's wasm backend.
 *
 * The trainer's thread submits a round of jobs, each a kernel and its arguments. It executes jobs itself and returns
 * when all are done. Jobs of one round write to different places and never read each other's output, so their order
 * does not affect the result.
 */
import { MarbleError } from '../../base/error';
import type { HelperData } from './serve-jobs';

/** A started helper thread. */
export interface Helper {
  /** Registers a callback that is called once if the thread ends by itself. */
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
   * @param isWorthHelp false if waking a helper takes longer than the work
   * @throws MarbleError `gpu/helper-lost`
   */
  run(isWorthHelp: boolean): void;
  close(): void;
}

const [TICKET, FINISHED, GENERATION, SLEEPING, WAITING, FAILED] = [0, 1, 2, 3, 4, 5];
const CONTROL_BYTES = 64;
const JOB_NUMBERS = 32;
/** The next job takes ten bits of the ticket. Each thread increments it once more when no job is left. */
const MOST_JOBS = 1000;
const MOST_THREADS = 16;
const SPINS = 20_000;
/** A panel of twelve columns of 384 terms. */
export const PANEL_BYTES = 4 * 12 * 384;
/** If waits for helpers exceed the share `MOST_WAITING` of `WINDOW_MS`, the trainer works alone for `ALONE_MS`. */
const WINDOW_MS = 500;
const MOST_WAITING = 0.5;
const ALONE_MS = 1000;
/**
 * A job takes milliseconds, so this many waits in a row without progress mean that a helper has stopped. The limit
 * counts waits rather than seconds, since the computer may sleep.
 */
const WAIT_MS = 5;
const LOST_AFTER_WAITS = 6000;

export interface PoolOptions {
  modules: HelperData['modules'];
  /** Kernels of the trainer's thread, in the order of the modules and their names. */
  kernels: readonly ((...numbers: number[]) => void)[];
  memory: WebAssembly.Memory;
  /** Allocates bytes of the memory that are never freed. */
  allocate: (bytes: number) => number;
  start: StartHelper;
}

/** @returns null if no helper starts, in which case the trainer works alone */
export async function openPool(threads: number, options: PoolOptions): Promise<Pool | null> {
  const { modules, kernels, memory, allocate, start } = options;
  const control = new SharedArrayBuffer(CONTROL_BYTES + 8 * JOB_NUMBERS * MOST_JOBS);
  const words = new Int32Array(control, 0, CONTROL_BYTES / 4);
  const jobs = new Float64Array(control, CONTROL_BYTES);
  const count = Math.min(threads, MOST_THREADS) - 1;
  const started = await Promise.allSettled(
    Array.from({ length: count }, () => start({ modules, memory, control, panel: allocate(PANEL_BYTES) })),
  );
  const helpers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (helpers.length === 0) return null;

  let isClosed = false;
  let isLost = false;
  for (const helper of helpers) helper.onEnd(() => (isLost = !isClosed));
  let generation = 0;
  let added = 0;
  let windowBegan = performance.now();
  let waitedMs = 0;
  let aloneUntil = 0;

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
    const began = performance.now();
    let inVain = 0;
    for (let done; (done = Atomics.load(words, FINISHED)) < total;) {
      inVain = Atomics.wait(words, FINISHED, done, WAIT_MS) === 'timed-out' ? inVain + 1 : 0;
      if (inVain > LOST_AFTER_WAITS) refuse();
    }
    Atomics.store(words, WAITING, 0);
    waitedMs += performance.now() - began;
  };
  /** Returns whether other load keeps helpers from running, in which case the trainer works alone for a while. */
  const isCrowded = (): boolean => {
    const now = performance.now();
    if (now < aloneUntil) return true;
    if (now - windowBegan < WINDOW_MS) return false;
    const share = waitedMs / (now - windowBegan);
    windowBegan = now;
    waitedMs = 0;
    if (share <= MOST_WAITING) return false;
    aloneUntil = now + ALONE_MS;
    windowBegan = aloneUntil;
    return true;
  };

  const pool: Pool = {
    threads: helpers.length + 1,
    add(kernel, numbers) {
      if (added === MOST_JOBS) pool.run(true);
      const at = added++ * JOB_NUMBERS;
      jobs[at] = kernel;
      jobs[at + 1] = numbers.length;
      jobs.set(numbers, at + 2);
    },
    run(isWorthHelp) {
      const total = added;
      added = 0;
      if (isLost) refuse();
      if (total > 1 && isWorthHelp && !isCrowded()) runTogether(total);
      else for (let job = 0; job < total; job++) runJob(job);
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
