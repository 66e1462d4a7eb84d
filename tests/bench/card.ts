/**
 * `npm run bench -- card`: one JSON file of what a machine does, for readers of another machine: the adapter with its limits,
 * what it copies and multiplies, what a dispatch costs, products, sampling and training of a small model, the first
 * steps of a run, how far the cost model is off in each phase of a step, and what it makes of that for a step of the 0.5B shape.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { dirname } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { defineKernel, runKernel, type Kernel } from '../../src/gpu/kernel';
import { parseModelConfig } from '../../src/model/config';
import { countStep, predictStep, type Card, type StepBatch } from '../../src/model/device/cost-model';
import { planMemory } from '../../src/model/device/memory-plan';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import { measure, round, type Bench, type Measured } from './measure';
import { checkPhases } from './phases';
import { matrixProduct } from '../../src/ops/matmul/matrix-product';
import { benchOwnProducts, matrix, stored } from './products';
import { benchRun } from './run';
import { benchSteps } from './steps';

/** 8 sequences of 512 tokens by LoRA: the run of the memory plan. */
const STEP: StepBatch = {
  rank: 16,
  weights: 'bf16',
  prompts: 2,
  samplesPerPrompt: 4,
  promptTokens: 128,
  responseTokens: 384,
  reference: true,
};

type SmallWork = NonNullable<Card['small']>;

const oneEach = defineKernel({
  name: 'one element each',
  inputs: { a: 'f32', b: 'f32' },
  outputs: { y: 'f32' },
  uniforms: { size: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let i = (group.y * groups.x + group.x) * 64u + lane;
    if (i < uniforms.size) { y[i] = a[i] + b[i]; }`,
});

const REPEATED = 64;

const repeated = (name: string, threads: number, declarations: string, step: string): Kernel =>
  defineKernel({
    name,
    inputs: {},
    outputs: { y: 'f32' },
    uniforms: { value: 'f32' },
    workgroupSize: [threads, 1, 1],
    declarations,
    body: `
    var value = uniforms.value * f32(lane + 1u);
    for (var i = 0u; i < ${REPEATED}u; i++) { ${step} }
    y[group.x * ${threads}u + lane] = value;`,
  });
const exponentials = repeated('exponentials', 64, '', 'value = exp(value - 1.0);');
const barriers = repeated(
  'barriers',
  4,
  'var<workgroup> shared_value: array<f32, 4>;',
  'shared_value[lane] = value; workgroupBarrier(); value += shared_value[(lane + i) % 4u];',
);

/**
 * What one of each kind of small work takes beyond the bytes that it moves and the products that it multiplies: of kernels
 * that do little else, one after another.
 */
async function smallCosts(
  bench: Bench,
  engine: Engine,
  { bytesPerSecond, flopsPerSecond, secondsPerDispatch }: Card,
  by: keyof Measured,
): Promise<SmallWork> {
  const seconds = async (run: () => void): Promise<number> => {
    const time = await measure(bench, async () => {
      for (let i = 0; i < 8; i++) run();
      await engine.check();
    });
    return time[by] / 8000;
  };
  const size = 1 << 18;
  const [a, b, y] = [tf.ones([size]), tf.ones([size]), tf.ones([size])];
  const elements = await seconds(() =>
    runKernel(oneEach, {
      inputs: { a, b },
      outputs: { y },
      uniforms: { size },
      workgroups: [size / 64, 1, 1],
    }),
  );
  const one = (kernel: Kernel, workgroups: number): Promise<number> =>
    seconds(() =>
      runKernel(kernel, {
        inputs: {},
        outputs: { y },
        uniforms: { value: 0.01 },
        workgroups: [workgroups, 1, 1],
      }),
    );
  const perExponential = (await one(exponentials, 256)) / (256 * 64 * REPEATED);
  const perBarrier = (await one(barriers, 512)) / (512 * REPEATED);
  const [m, n, k] = [512, 512, 4];
  const [x, w] = [matrix(m, k), stored('f32', n, k)];
  const products = await seconds(() => matrixProduct('nt', x, w).dispose());
  tf.dispose([a, b, y, x, w.data]);
  const waiting = async (workgroups: number): Promise<number> =>
    (await dispatchCost(bench, engine, moving(true), workgroups))[by] / 1000;
  const few = await waiting(FEW);
  const perFour = Math.max(0, ((await waiting(MANY)) - few) / (MANY - FEW));
  const beyond = (total: number, count: number, bytes: number, flops: number): number =>
    Math.max(0, (total - Math.max(bytes / bytesPerSecond, flops / flopsPerSecond)) / count);
  return {
    outputs: beyond(products, m * n, 0, 2 * m * n * k),
    elements: beyond(elements, size, 12 * size, 0),
    exponentials: perExponential,
    waitingDispatches: Math.max(0, few - FEW * perFour - secondsPerDispatch),
    waitingFours: perFour,
    barriers: perBarrier,
  };
}

/** Moves one value in each invocation; with or without waiting for its neighbours in the workgroup. */
const moving = (waits: boolean): Kernel =>
  defineKernel({
    name: waits ? 'move and wait' : 'move',
    inputs: { x: 'f32' },
    outputs: { y: 'f32' },
    uniforms: { value: 'f32' },
    workgroupSize: [4, 1, 1],
    declarations: waits ? 'var<workgroup> held: array<f32, 4>;' : '',
    body: waits
      ? `held[lane] = x[group.x * 4u + lane];
         workgroupBarrier();
         y[group.x * 4u + lane] = held[(lane + 1u) % 4u] + uniforms.value;`
      : 'y[group.x * 4u + lane] = x[group.x * 4u + lane] + uniforms.value;',
  });

/** Workgroups of a dispatch that does next to nothing and yet has work for every core. */
const FEW = 64;
const MANY = 4096;

/** What one dispatch takes, in a row of many of which each reads what the one before has written. */
async function dispatchCost(
  bench: Bench,
  engine: Engine,
  kernel = moving(false),
  workgroups = FEW,
): Promise<Measured> {
  const count = 256;
  const [a, b] = [tf.ones([4 * workgroups]), tf.ones([4 * workgroups])];
  const { ms, cpuMs } = await measure(bench, async () => {
    for (let i = 0; i < count; i++) {
      const [x, y] = i % 2 === 0 ? [a, b] : [b, a];
      runKernel(kernel, {
        inputs: { x },
        outputs: { y },
        uniforms: { value: i },
        workgroups: [workgroups, 1, 1],
      });
    }
    await engine.check();
  });
  tf.dispose([a, b]);
  return { ms: ms / count, cpuMs: cpuMs / count };
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** The ceilings among the figures; of a software adapter also by CPU time, of which other work on the machine takes none. */
function cardOf(figures: Record<string, unknown>[], dispatch: Measured, by: 'wall time' | 'CPU time'): Card {
  const found = (op: string, unit: string): number =>
    1e9 * Number(figures.find((figure) => figure.op === op && figure.by === 'ceiling')![unit]);
  return by === 'wall time'
    ? {
        bytesPerSecond: found('copy', 'gbPerSecond'),
        flopsPerSecond: found('product', 'gflops'),
        secondsPerDispatch: dispatch.ms / 1000,
      }
    : {
        bytesPerSecond: found('copy', 'gbPerCpuSecond'),
        flopsPerSecond: found('product', 'gflopsPerCpuSecond'),
        secondsPerDispatch: dispatch.cpuMs / 1000,
      };
}

/** @param folder where the file goes, named after the adapter */
export async function benchCard(given: Bench, folder: string): Promise<void> {
  const figures: Record<string, unknown>[] = [];
  const bench: Bench = { ...given, figures };
  const loadBefore = loadavg()[0];
  const engine = await openEngine({ backend: 'webgpu' });
  const capabilities = engine.capabilities!;
  const { adapterName } = capabilities;
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const limits = Object.fromEntries(
    Object.entries(limitsOf(device)).filter(([, value]) => typeof value === 'number'),
  );
  const constants = { ...bench, quick: false }; // what costs next to nothing is measured well
  const dispatch = await dispatchCost(constants, engine);
  await benchOwnProducts(bench, engine, adapterName);
  const withSmall = async (card: Card, by: keyof Measured): Promise<Card> => ({
    ...card,
    small: await smallCosts(constants, engine, card, by),
  });
  const card = await withSmall(cardOf(figures, dispatch, 'wall time'), 'ms');
  const ofCpu = capabilities.isSoftware
    ? await withSmall(cardOf(figures, dispatch, 'CPU time'), 'cpuMs')
    : null;
  const large = figures.find(({ format, shape }) => format === 'bf16' && shape === '128x4864x896')!;
  const largeProducts = 1e9 * Number(large[ofCpu ? 'gflopsPerCpuSecond' : 'gflops']);
  const checked = await checkPhases(bench, engine, adapterName, ofCpu ?? card, largeProducts);
  await benchSteps(bench, engine, adapterName, false);
  await benchRun(bench, engine, adapterName);
  engine.dispose();

  const config = parseModelConfig(halfBillionConfig());
  const tokens = STEP.promptTokens + STEP.responseTokens;
  const rows = STEP.prompts * STEP.samplesPerPrompt;
  const written = {
    marble: commit(),
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGigabytes: Math.round(totalmem() / 1e9),
      system: `${platform()} ${release()}`,
      node: process.version,
      // above the number of cores, the figures are of a machine that was busy with other work
      loadAverage: [round(loadBefore), round(loadavg()[0])],
    },
    adapter: { ...capabilities, limits },
    card,
    // how far off the cost model is here, of a software adapter in CPU time
    costModel: { card: ofCpu ?? card, largeProducts, checked },
    halfBillion: {
      batch: STEP,
      memory: planMemory(config, { rank: STEP.rank, weights: 'bf16', rows, tokens }),
      work: countStep(config, STEP),
      predicted: predictStep(config, STEP, card),
    },
    figures,
  };
  const file = `${folder}/${adapterName.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
  console.log(`Written to ${file}.`);
}

/** Limits are properties of the prototype. */
function limitsOf({ limits }: GPUDevice): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name in limits) values[name] = (limits as unknown as Record<string, unknown>)[name];
  return values;
}
