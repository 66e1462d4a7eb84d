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
import { openEngine } from '../src/gpu/engine';
import { parseModelConfig } from '../src/model/config';
import { countStep, predictStep, type StepBatch } from '../src/model/device/cost-model';
import { planMemory } from '../src/model/device/memory-plan';
import { halfBillionConfig } from '../src/model/device/half-billion';
import { round, type Bench } from './measure';
import { checkPhases } from './steps/phases';
import { benchProducts } from './products';
import { benchRun } from './run';
import { benchSteps } from './steps/steps';

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

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
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
  const { card, ofCpu, checked } = await checkPhases(bench, engine, adapterName);
  await benchProducts(bench, engine, adapterName);
  await benchSteps(bench, engine, adapterName);
  await benchRun(bench, engine, adapterName);
  engine.dispose();

  const config = parseModelConfig(halfBillionConfig());
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
    costModel: { card: capabilities.isSoftware ? ofCpu : card, checked },
    halfBillion: {
      batch: STEP,
      memory: planMemory(config, STEP),
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
