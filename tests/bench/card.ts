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
import { defineKernel, runKernel } from '../../src/gpu/kernel';
import { parseModelConfig } from '../../src/model/config';
import { countStep, predictStep, type Card, type StepBatch } from '../../src/model/device/cost-model';
import { planMemory } from '../../src/model/device/memory-plan';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import { measure, round, type Bench, type Measured } from './measure';
import { checkPhases } from './phases';
import { benchOwnProducts } from './products';
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

const nothing = defineKernel({
  name: 'nothing',
  inputs: {},
  outputs: { y: 'f32' },
  uniforms: { value: 'f32' },
  workgroupSize: [1, 1, 1],
  body: 'y[0] = uniforms.value;',
});

/** What one dispatch takes that does nothing, in a row of many. */
async function dispatchCost(bench: Bench, engine: Engine): Promise<Measured> {
  const count = 512;
  const y = tf.zeros([1]);
  const { ms, cpuMs } = await measure(bench, async () => {
    for (let i = 0; i < count; i++) {
      runKernel(nothing, { inputs: {}, outputs: { y }, uniforms: { value: i }, workgroups: [1, 1, 1] });
    }
    await engine.check();
  });
  y.dispose();
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
  const dispatch = await dispatchCost(bench, engine);
  await benchOwnProducts(bench, engine, adapterName);
  const card = cardOf(figures, dispatch, 'wall time');
  const ofCpu = capabilities.isSoftware ? cardOf(figures, dispatch, 'CPU time') : null;
  const checked = await checkPhases(bench, engine, adapterName, ofCpu ?? card);
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
    costModel: { card: ofCpu ?? card, checked },
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
