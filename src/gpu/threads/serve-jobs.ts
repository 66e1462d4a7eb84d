/** Initial message to a helper thread. */
export interface HelperData {
  /** Kernel modules, with the names of the kernels that jobs call. */
  modules: readonly { module: WebAssembly.Module; names: readonly string[] }[];
  memory: WebAssembly.Memory;
  /** 64 bytes of words, then the jobs. */
  control: SharedArrayBuffer;
  /** Address at which this thread packs columns of products. */
  panel: number;
}

/**
 * The loop of a helper thread. It waits on the word GENERATION, draws jobs by atomic additions to TICKET, and counts
 * completed jobs in FINISHED, until GENERATION is negative. After the initial message it exchanges no messages.
 *
 * Node starts it from its source text, so it uses nothing from its module and declares no inner function. The words
 * of `control`: 0 TICKET (generation << 20 | number of jobs << 10 | next job), 1 FINISHED, 2 GENERATION, 3 SLEEPING,
 * 4 WAITING, 5 FAILED. A job is 32 float64 numbers from byte 64 on: kernel, number of arguments, arguments.
 */
export function serveJobs({ modules, memory, control, panel }: HelperData): void {
  const kernels: ((...numbers: number[]) => void)[] = [];
  for (const { module, names } of modules) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    (exports.usePanel as (address: number) => void)(panel);
    for (const name of names) kernels.push(exports[name] as (...numbers: number[]) => void);
  }
  const words = new Int32Array(control, 0, 16);
  const jobs = new Float64Array(control, 64);
  let seen = 0;
  for (;;) {
    for (let spin = 0; spin < 20_000 && Atomics.load(words, 2) === seen; spin++);
    if (Atomics.load(words, 2) === seen) {
      Atomics.add(words, 3, 1);
      Atomics.wait(words, 2, seen);
      Atomics.sub(words, 3, 1);
    }
    seen = Atomics.load(words, 2);
    if (seen < 0) return;
    for (;;) {
      const ticket = Atomics.add(words, 0, 1);
      const count = (ticket >>> 10) & 1023;
      const at = 32 * (ticket & 1023);
      if ((ticket & 1023) >= count) break;
      try {
        kernels[jobs[at]](...jobs.subarray(at + 2, at + 2 + jobs[at + 1]));
      } catch {
        Atomics.store(words, 5, 1);
      }
      if (Atomics.add(words, 1, 1) + 1 === count && Atomics.load(words, 4) === 1) Atomics.notify(words, 1);
    }
  }
}
