/**
 * Checks that `npm run matrix` runs on an implementation of WebGPU or wasm, in any runtime: the kernels, and three
 * steps of a run.
 */
import { loadPolicy, openEngine, presets, train, type BackendName, type RunConfig } from '../../src/index';
import { difference } from '../ops/random-tensors';
import { kernelCases, runKernelCases } from './kernel-cases';

export interface CheckOptions {
  /** `webgpu` is held against wasm; `wasm` runs its three steps only. */
  backend: 'webgpu' | 'wasm';
  wasmUrl: string;
  /** URL of the folder of the embedded model `ladder-25k`. */
  modelUrl: string;
  log: (line: string) => void;
}

interface Steps {
  rewards: number[];
  lengths: number[];
  gradientNorms: number[];
}

export interface CheckResult {
  /** Kernels that differ by more than rounding, with the largest difference relative to the largest value. */
  wrong: Record<string, number>;
  kernels: number;
  steps: Partial<Record<BackendName, Steps>>;
  /** Against wasm. */
  sameRewardsAndLengths: boolean | null;
  gradientNormDifference: number | null;
}

const TOLERANCE = 5e-5;

export const threeSteps: RunConfig = {
  ...presets['ladder-25k'],
  steps: 3,
  rollout: { promptsPerStep: 3, samplesPerPrompt: 3, temperature: 1, maxNewTokens: 20 },
  evaluation: { every: 100, items: 6, hardItems: 0, seed: 7, patience: 0, validationItems: 2 },
  checkpointEvery: 100,
};

export async function check({ backend, wasmUrl, modelUrl, log }: CheckOptions): Promise<CheckResult> {
  const kernels: Partial<Record<BackendName, Record<string, Float32Array[]>>> = {};
  const steps: CheckResult['steps'] = {};
  for (const name of backend === 'webgpu' ? (['wasm', 'webgpu'] as const) : (['wasm'] as const)) {
    log(`opening ${name}`);
    const engine = await openEngine({ backend: name, wasmUrl });
    if (backend === 'webgpu') kernels[name] = await runKernelCases(log);
    log(`three steps on ${name}`);
    const found: Steps = { rewards: [], lengths: [], gradientNorms: [] };
    const policy = await loadPolicy(engine, { url: modelUrl });
    for await (const event of train(engine, policy, threeSteps, undefined, { anyway: true })) {
      if (event.type === 'failed' || event.type === 'lost') throw new Error(event.error.message);
      if (event.type !== 'step') continue;
      const { record } = event;
      found.rewards.push(record.reward);
      found.lengths.push(record['completions/mean_length']);
      found.gradientNorms.push(record.grad_norm);
      log(`step ${record.step} on ${name}`);
    }
    steps[name] = found;
    policy.dispose();
    await engine.check();
    engine.dispose();
  }
  const wrong: Record<string, number> = {};
  for (const { name, tolerance = TOLERANCE } of kernels.wasm ? kernelCases : []) {
    const expected = kernels.wasm![name];
    const found = kernels.webgpu![name];
    const worst = expected.map((values, i) => difference(found[i], values));
    if (!worst.every((off) => off < tolerance)) wrong[name] = Math.max(...worst);
  }
  const [ours, wasm] = [steps.webgpu, steps.wasm!];
  const same = (a: number[], b: number[]): boolean => a.every((value, i) => value === b[i]);
  return {
    wrong,
    kernels: Object.keys(kernels.webgpu ?? {}).length,
    steps,
    sameRewardsAndLengths: ours ? same(ours.rewards, wasm.rewards) && same(ours.lengths, wasm.lengths) : null,
    gradientNormDifference: ours
      ? Math.max(...ours.gradientNorms.map((norm, i) => Math.abs(norm - wasm.gradientNorms[i]) / norm))
      : null,
  };
}
