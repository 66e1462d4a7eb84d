import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { probeAdapter } from '../../../src/gpu/capabilities';
import { openEngine, type Engine } from '../../../src/gpu/engine';
import type { MarbleWebGPUBackend } from '../../../src/gpu/webgpu-backend';
import type { ModelConfig } from '../../../src/model/config';
import { randomSupply } from '../../../src/model/files/build-weights';
import { loadPolicy } from '../../../src/model/load-policy';
import type { Completion, Policy, PolicyState } from '../../../src/model/policy';
import { tuneModel } from '../../../src/model/device/tune-model';
import type { Tile } from '../../../src/ops/matmul/variant';
import { adapterTraits } from '../../../src/ops/matmul';
import { f16Tile, restoreTiles } from '../../../src/ops/matmul/tiles';
import { expectGradientsToMatchDifferences } from '../gradients';
import { largestDifference } from '../golden-policy';
import { adamW, configJson, continued, policyOf, pulling, tinyConfig, tinyPolicy } from '../tiny';

const hasF16 = (await probeAdapter())!.features.has('shader-f16');
if (!hasF16)
  console.warn('SKIPPED: this adapter has no f16 (docs/architecture.md says how to take another).');

const config: ModelConfig = { ...tinyConfig, hiddenSize: 36, heads: 6, kvHeads: 2, intermediateSize: 76 };
const prompts = [
  [3, 4, 5],
  [5, 6],
];
const sampling = { samplesPerPrompt: 3, maxNewTokens: 12, temperature: 1, stopIds: [1], seed: 1 };

/** Samples, scores what was sampled, and goes back through it. */
async function step(policy: Policy): Promise<{
  completions: Completion[];
  logprobs: Float32Array[];
  gradients: Record<string, Float32Array>;
}> {
  const completions = await policy.generate(prompts, sampling);
  const { sequences, lengths } = continued(prompts, completions);
  const { logprobs } = await policy.logprobs(sequences, lengths);
  await policy.backward(sequences, lengths, {
    objective: (statistics) => ({
      logprobs: statistics.logprobs.map((row, i) => row.map((_, t) => Math.sin(1 + 3 * i + t))),
    }),
  });
  return { completions, logprobs, gradients: await policy.gradients() };
}

const UPDATE = adamW(1e-2);

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);

describe.skipIf(!hasF16)('a model that goes back in f16', () => {
  const tile: Tile = { kind: 'register', rows: 4, columns: 4, across: 8, down: 8 };
  let engine: Engine;
  /** Takes this tile for every gradient by an input of a model's own products. */
  let goBackWith: (choice: Tile) => void;
  let productsInF16 = 0;

  beforeAll(async () => {
    engine = await openEngine({ backend: 'webgpu' });
    const keys = new Set<string>();
    for (const trainRows of [64, 128, 256]) {
      const shape = { weights: 'f32', decodeRows: 6, trainRows, budgetMs: Infinity } as const;
      for (const key of Object.keys(await tuneModel(engine, config, shape))) keys.add(key);
    }
    expect(adapterTraits().f16).toEqual(['f32']); // it passed the check
    goBackWith = (choice) => {
      const back = [...keys].filter((key) => key.startsWith('nn '));
      restoreTiles(Object.fromEntries(back.map((key) => [key, choice])), adapterTraits());
    };
    const backend = tf.backend() as unknown as MarbleWebGPUBackend;
    const dispatch = backend.dispatch.bind(backend);
    backend.dispatch = (pipeline, ...rest) => {
      if (/^matmul .* half /.test(pipeline.label)) productsInF16++;
      dispatch(pipeline, ...rest);
    };
  });
  afterAll(() => engine.dispose());
  beforeEach(() => {
    productsInF16 = 0;
  });

  it.each([
    ['trained in full', null],
    ['with an adapter', { rank: 8, alpha: 16, seed: 1 }],
  ])(
    '%s has the tokens and log-probabilities of f32, to the bit, and nearly its gradient',
    async (_name, lora) => {
      const stepWith = async (choice: Tile): ReturnType<typeof step> => {
        const policy = await tinyPolicy(engine, config, lora);
        goBackWith(tile);
        await step(policy);
        await policy.update(UPDATE); // an adapter's B is zero before
        goBackWith(choice);
        const result = await step(policy);
        policy.dispose();
        return result;
      };
      const full = await stepWith(tile);
      expect(productsInF16).toBe(0);
      const half = await stepWith(f16Tile(tile));
      expect(productsInF16).toBe(2 * 4); // in each layer through down, gate and up, o, and q, k and v

      expect(half.completions).toEqual(full.completions);
      expect(half.logprobs).toEqual(full.logprobs);
      let [difference, both, squares, squaresOfHalf] = [0, 0, 0, 0];
      let worst = { name: '', error: 0 };
      for (const [name, expected] of Object.entries(full.gradients)) {
        const actual = half.gradients[name];
        const off = actual.map((value, i) => value - expected[i]);
        const error = Math.sqrt(dot(off, off) / dot(expected, expected));
        if (!(error <= worst.error)) worst = { name, error };
        difference += dot(off, off);
        both += dot(actual, expected);
        squares += dot(expected, expected);
        squaresOfHalf += dot(actual, actual);
      }
      console.log(
        `f16 against f32: cosine 1 - ${1 - both / Math.sqrt(squares * squaresOfHalf)}, ` +
          `error ${Math.sqrt(difference / squares)} of the norm, ${worst.error} in ${worst.name}`,
      );
      expect(difference).toBeGreaterThan(0);
      expect(both / Math.sqrt(squares * squaresOfHalf)).toBeGreaterThan(1 - 1e-5);
      expect(Math.sqrt(difference / squares)).toBeLessThan(5e-3);
      expect(worst.error).toBeLessThan(2e-2); // a key's bias moves all scores alike: its gradient is what cancels
    },
  );

  it('has the gradients of the loss', async () => {
    goBackWith(f16Tile(tile));
    const policy = await tinyPolicy(engine, config);
    await expectGradientsToMatchDifferences(policy);
    expect(productsInF16).toBeGreaterThan(0);
    policy.dispose();
  });
});

const lora = { rank: 8, alpha: 16, seed: 3 };

/** A model's files, by which it is loaded in bf16; matrices of this deviation. */
async function filesOf(engine: Engine, deviation: number): Promise<Record<string, Blob>> {
  const odd: ModelConfig = {
    ...{ ...tinyConfig, architecture: 'llama', attentionBias: false },
    ...{ hiddenSize: 18, headDim: 6, kvHeads: 3 },
  };
  const original = await policyOf(engine, odd, randomSupply(5, deviation));
  const weights = await original.exportModel();
  original.dispose();
  return { ...weights, 'config.json': configJson(odd) };
}

const loaded = (engine: Engine, files: Record<string, Blob>, arithmetic: 'f32' | 'f16'): Promise<Policy> =>
  loadPolicy(engine, { files }, { lora: { ...lora, arithmetic } });

/** Products forward by weights in bf16 that are not in f16, by the labels of their kernels. */
const FORWARD_IN_F32 = /^(matmul (gated )?nt bf16 (?!half)|few rows (?!.*half).* bf16|sample head bf16)/;

describe.skipIf(!hasF16)('a model that multiplies forward in f16', () => {
  let engine: Engine;
  let files: Record<string, Blob>;
  const dispatched = new Set<string>();

  beforeAll(async () => {
    engine = await openEngine({ backend: 'webgpu' });
    files = await filesOf(engine, 0.3);
    const backend = tf.backend() as unknown as MarbleWebGPUBackend;
    const dispatch = backend.dispatch.bind(backend);
    backend.dispatch = (pipeline, ...rest) => {
      dispatched.add(pipeline.label);
      dispatch(pipeline, ...rest);
    };
  });
  afterAll(() => engine.dispose());

  /** After an update in f32, since an adapter's B is zero before. */
  async function updatedOnce(): Promise<PolicyState> {
    const policy = await loaded(engine, files, 'f32');
    await policy.backward([[3, 4, 5, 6, 7]], [2], pulling(1));
    await policy.update(adamW(0.05));
    const state = await policy.state();
    policy.dispose();
    return state;
  }

  /** A step from one state; the same tokens scored before it, and by the reference. */
  async function trained(arithmetic: 'f32' | 'f16', from: PolicyState) {
    const policy = await loaded(engine, files, arithmetic);
    policy.restore(from);
    dispatched.clear();
    const sequences = [
      [3, 4, 5, 6, 7, 8, 9, 2, 11],
      [5, 6, 20, 21, 22],
    ];
    const lengths = [3, 2];
    const before = await policy.logprobs(sequences, lengths);
    const passed = await policy.backward(sequences, lengths, pulling(0.1));
    const reference = await policy.logprobs(sequences, lengths, { adapter: 'off' });
    const gradients = await policy.gradients();
    const completions = await policy.generate(prompts, { ...sampling, stopIds: [] });
    const drawn = continued(prompts, completions);
    const again = await policy.logprobs(drawn.sequences, drawn.lengths);
    const samplerGap = Math.max(
      ...completions.map(({ logprobs }, row) => largestDifference(logprobs, again.logprobs[row])),
    );
    policy.dispose();
    return { before, passed, reference, gradients, samplerGap };
  }

  it('samples, scores and trains one model: the ratio of the first update is 1, its gradient nearly that of f32', async () => {
    const state = await updatedOnce();
    const full = await trained('f32', state);
    expect([...dispatched].filter((label) => label.includes('half'))).toEqual([]);
    const half = await trained('f16', state);
    expect([...dispatched].filter((label) => FORWARD_IN_F32.test(label))).toEqual([]);
    expect([...dispatched].filter((label) => label.includes('half')).length).toBeGreaterThan(2);

    expect(half.passed.logprobs).toEqual(half.before.logprobs); // to the bit
    expect(half.samplerGap).toBeLessThan(1e-4); // the bound of f32
    for (const which of ['before', 'reference'] as const) {
      const off = Math.max(
        ...half[which].logprobs.map((row, i) => largestDifference(row, full[which].logprobs[i])),
      );
      console.log(`log-probabilities in f16 against f32, ${which}: ${off} nats`);
      expect(off).toBeGreaterThan(1e-6);
      expect(off).toBeLessThan(1e-2);
    }
    const norm = ({ gradients }: typeof full): number =>
      Math.sqrt(Object.values(gradients).reduce((sum, values) => sum + dot(values, values), 0));
    console.log(
      `norm of the gradient in f16 against f32: ${norm(half)} and ${norm(full)}; sampler ${half.samplerGap}`,
    );
    expect(Math.abs(norm(half) / norm(full) - 1)).toBeLessThan(5e-3);
  });

  it('is refused where sums may overflow', async () => {
    const large = await filesOf(engine, 100);
    await expect(loaded(engine, large, 'f16')).rejects.toMatchObject({ code: 'model/f16-range' });
  });

  it('is refused where its weights are held in f32', async () => {
    const load = loadPolicy(engine, { files }, { lora: { ...lora, arithmetic: 'f16' }, weights: 'f32' });
    await expect(load).rejects.toMatchObject({ code: 'model/weights-format' });
  });
});

it.skipIf(hasF16)('refuses f16 on a GPU that has none', async () => {
  const engine = await openEngine({ backend: 'webgpu' });
  await expect(filesOf(engine, 0.3).then((files) => loaded(engine, files, 'f16'))).rejects.toMatchObject({
    code: 'gpu/no-f16',
  });
  engine.dispose();
});
