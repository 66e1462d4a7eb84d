/**
 * `npm run bench`: what a machine does, in one JSON file for readers of another machine, `docs/benchmarks/<adapter>.json`: the
 * adapter with its limits, what it copies and multiplies, what a dispatch costs, products, sampling and training of a small
 * model, the first steps of a run, how far the cost model is off in each phase of a step, and what it makes of that for a
 * step of the 0.5B shape. Each figure is printed as a line of JSON besides.
 *
 *   --quick         one timed run of each and fewer steps, as a software adapter wants
 *   --out folder    where the file goes
 *
 * `MARBLE_ADAPTER=software` takes the software adapter on any machine.
 */
import '../tests/fixtures/webgpu/node-webgpu';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import { openEngine } from '../src/gpu/engine';
import { parseModelConfig } from '../src/model/config';
import { countStep, predictStep, type StepBatch } from '../src/model/device/cost-model';
import { planMemory } from '../src/model/device/memory-plan';
import { halfBillionConfig } from '../src/model/device/half-billion';
import { round, type Bench } from './measure';
import { checkPhases } from './phases';
import { benchProducts } from './products';
import { benchRun, benchSteps } from './steps';

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

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/benchmarks' },
    quick: { type: 'boolean', default: false },
  },
});
const bench: Bench = { quick: values.quick, figures: [] };
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
  marble: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
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
  figures: bench.figures,
};
await mkdir(values.out, { recursive: true });
const file = `${values.out}/${adapterName.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`;
await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
console.log(`Written to ${file}.`);
process.exit(0);

/** Limits are properties of the prototype. */
function limitsOf({ limits }: GPUDevice): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name in limits) found[name] = (limits as unknown as Record<string, unknown>)[name];
  return found;
}
