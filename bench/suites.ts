/** The suites of the bench, by name, and the engines that they run on. */
import { openEngine } from '../src/gpu/engine';
import { benchBackward } from './backward';
import { benchHeld } from './steps/held';
import { benchLargeModel } from './steps/large-model';
import type { Bench } from './measure';
import { benchOps } from './ops';
import { benchPlan } from './plan';
import { benchProducts, benchTiles, openRival } from './products';
import { benchRun } from './run';
import { benchSteps } from './steps/steps';
import { benchTexts } from './tom';

export const suites = [
  'products',
  'ops',
  'steps',
  'run',
  'wasm',
  'tom',
  'tiles',
  'backward',
  'plan',
  'held',
  'large',
] as const;
export type Suite = (typeof suites)[number];

/** `tiles`, `backward`, `plan`, `held` and `large` take long and are run when they are named. */
export const usualSuites: readonly Suite[] = ['products', 'ops', 'steps', 'run', 'wasm', 'tom'];

const onWebGpu: readonly Suite[] = ['products', 'ops', 'steps', 'run', 'tiles', 'backward'];

export async function runSuites(bench: Bench, wanted: readonly Suite[]): Promise<void> {
  const { wasmUrl } = bench.place;
  if (onWebGpu.some((suite) => wanted.includes(suite))) {
    const engine = await openEngine({ backend: 'webgpu' });
    const adapter = engine.capabilities!.adapterName;
    if (wanted.includes('tiles')) await benchTiles(bench, engine, adapter);
    if (wanted.includes('backward')) await benchBackward(bench, engine, adapter);
    if (wanted.includes('run')) await benchRun(bench, engine, adapter);
    if (wanted.includes('steps')) await benchSteps(bench, engine, adapter, true);
    if (wanted.includes('ops')) await benchOps(bench, engine, adapter);
    if (wanted.includes('products')) {
      await openRival();
      await benchProducts(bench, engine, adapter);
    }
    engine.dispose();
  }
  if (wanted.includes('wasm') || wanted.includes('run')) {
    const engine = await openEngine({ backend: 'wasm', wasmUrl });
    if (wanted.includes('run')) await benchRun(bench, engine, 'wasm');
    if (wanted.includes('wasm')) await benchSteps(bench, engine, 'wasm', false);
    engine.dispose();
  }
  if (wanted.includes('tom')) await benchTexts(bench);
  if (wanted.includes('plan')) await benchPlan(bench);
  if (wanted.includes('held')) await benchHeld(bench);
  if (wanted.includes('large')) await benchLargeModel(bench);
}
