/**
 * What `npm run matrix` runs in a browser that cannot run vitest: the kernels and three steps, on WebGPU and on wasm. The
 * promise of the result is `globalThis.checked`.
 */
import wasm from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import { loadPolicy, openEngine, presets, train, type BackendName, type RunConfig } from '../../src/index';
import type { StepRecord } from '../../src/run/record/events';
import { difference } from '../ops/random-tensors';
import { kernelCases, runKernelCases } from './kernel-cases';

export interface CheckResult {
  /** Kernels that differ from wasm by more than rounding, with the difference relative to the largest value. */
  wrong: Record<string, number>;
  kernels: number;
  sameRewardsAndLengths: boolean;
  gradientNormDifference: number;
}

const TOLERANCE = 5e-5;

const threeSteps: RunConfig = {
  ...presets['ladder-25k'],
  steps: 3,
  rollout: { promptsPerStep: 3, samplesPerPrompt: 3, temperature: 1, maxNewTokens: 20 },
  evaluation: { every: 100, items: 6, hardItems: 0, seed: 7 },
  checkpointEvery: 100,
};

const addressOf = (path: string): string => new URL(path, location.href).href;

async function runOn(backend: BackendName) {
  console.log(`opening ${backend}`);
  const engine = await openEngine({ backend, wasmUrl: addressOf(wasm) });
  const kernels = await runKernelCases();
  console.log(`three steps on ${backend}`);
  const policy = await loadPolicy(engine, { url: addressOf('models/ladder-25k/') });
  const steps: StepRecord[] = [];
  for await (const event of train(engine, policy, threeSteps, undefined, { anyway: true })) {
    if (event.type === 'failed' || event.type === 'lost') throw new Error(event.error.message);
    if (event.type !== 'step') continue;
    steps.push(event.record);
    console.log(`step ${event.record.step} on ${backend}`);
  }
  policy.dispose();
  await engine.check();
  engine.dispose();
  return { kernels, steps };
}

async function check(): Promise<CheckResult> {
  const expected = await runOn('wasm');
  const webgpu = await runOn('webgpu');
  const wrong: Record<string, number> = {};
  for (const { name, tolerance = TOLERANCE } of kernelCases) {
    const off = expected.kernels[name].map((values, i) => difference(webgpu.kernels[name][i], values));
    if (!off.every((one) => one < tolerance)) wrong[name] = Math.max(...off);
  }
  const valuesOf = (metric: string): [number, number][] =>
    expected.steps.map((step, i) => [step[metric], webgpu.steps[i][metric]]);
  const isSame = (metric: string): boolean => valuesOf(metric).every(([one, other]) => one === other);
  return {
    wrong,
    kernels: kernelCases.length,
    sameRewardsAndLengths: isSame('reward') && isSame('completions/mean_length'),
    gradientNormDifference: Math.max(
      ...valuesOf('grad_norm').map(([norm, other]) => Math.abs(other - norm) / norm),
    ),
  };
}

Object.assign(globalThis, { checked: check() });
