/** How the benches time, and the lines that they print. */
import type { Engine } from '../../src/gpu/engine';

export interface Measured {
  /** Shortest wall time of one run, in milliseconds. */
  ms: number;
  /** CPU time of that process in the run that used least, in milliseconds; says more than `ms` on a busy machine. */
  cpuMs: number;
}

const REPEATS = 4;
const LONGEST_SECONDS = 12;

/** @param run one run, resolved when its work is done */
export async function measure(run: () => Promise<unknown>): Promise<Measured> {
  await run();
  let ms = Infinity;
  let cpuMs = Infinity;
  const begun = performance.now();
  for (let repeat = 0; repeat < REPEATS && performance.now() - begun < 1000 * LONGEST_SECONDS; repeat++) {
    const start = performance.now();
    const cpu = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(cpu);
    ms = Math.min(ms, performance.now() - start);
    cpuMs = Math.min(cpuMs, (user + system) / 1000);
  }
  return { ms: round(ms), cpuMs: round(cpuMs) };
}

/** What the engine's counters gained in one call of `run`. */
export async function countCommands(
  engine: Engine,
  run: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = engine.counts();
  await run();
  const after = engine.counts();
  return { dispatches: after.dispatches - before.dispatches, readbacks: after.readbacks - before.readbacks };
}

export const round = (value: number): number => Number(value.toPrecision(4));

/** GFLOP/s of a matrix product. */
export const productRate = (m: number, n: number, k: number, ms: number): number =>
  round((2e-6 * m * n * k) / ms);

/** One JSON line: the figure, and the adapter on which it was measured. */
export function report(adapter: string, figure: Record<string, unknown>): void {
  console.log(JSON.stringify({ adapter, ...figure }));
}
