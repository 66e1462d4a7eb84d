/** The suites of the bench, by name, and the engines that they run on. */
import { openEngine } from '../src/gpu/engine';
import { benchHeld } from './steps/held';
import type { Bench } from './measure';
import { benchPlan } from './plan';
import { benchProducts } from './products';
import { benchRun } from './run';
import { benchSteps } from './steps/steps';

export const suites = ['products', 'steps', 'run', 'wasm', 'plan', 'held'] as const;
export type Suite = (typeof suites)[number];

/** `plan` and `held` take long and are run when they are named. */
export const usualSuites: readonly Suite[] = ['products', 'steps', 'run', 'wasm'];

const onWebGpu: readonly Suite[] = ['products', 'steps', 'run'];

export async function runSuites(bench: Bench, wanted: readonly Suite[]): Promise<void> {
  const { wasmUrl } = bench.place;
  if (onWebGpu.some((suite) => wanted.includes(suite))) {
    const engine = await openEngine({ backend: 'webgpu' });
    const adapter = engine.capabilities!.adapterName;
    if (wanted.includes('run')) await benchRun(bench, engine, adapter);
    if (wanted.includes('steps')) await benchSteps(bench, engine, adapter);
    if (wanted.includes('products')) await benchProducts(bench, engine, adapter);
    engine.dispose();
  }
  if (wanted.includes('wasm') || wanted.includes('run')) {
    const engine = await openEngine({ backend: 'wasm', wasmUrl });
    if (wanted.includes('run')) await benchRun(bench, engine, 'wasm');
    if (wanted.includes('wasm')) await benchSteps(bench, engine, 'wasm');
    engine.dispose();
  }
  if (wanted.includes('plan')) await benchPlan(bench);
  if (wanted.includes('held')) await benchHeld(bench);
}
