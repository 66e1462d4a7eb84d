/**
 * `npm run bench [-- --quick] [--out folder]`: measures a WebGPU adapter and writes one JSON file,
 * `docs/benchmarks/<adapter>.json`, for comparison with other machines. It holds the adapter with its limits, the speed
 * of a matrix product and the cost of a call, the plan of a step of the 0.5B shape, and the first steps of a run.
 *
 * `--quick` takes fewer steps, for software adapters. `MARBLE_ADAPTER=software` selects the software adapter on any
 * machine.
 */
import '../tests/fixtures/webgpu/node-webgpu';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import { filesIn } from '../src/command/model-places';
import {
  estimate,
  loadPolicy,
  measureSpeed,
  openEngine,
  planRun,
  presets,
  train,
  type Engine,
} from '../src/index';
import { parseModelConfig } from '../src/model/config';
import { halfBillionConfig } from '../tests/fixtures/half-billion';

const round = (value: number): number => Number(value.toPrecision(4));

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/benchmarks' },
    quick: { type: 'boolean', default: false },
  },
});
const loadBefore = loadavg()[0];
const engine = await openEngine({ backend: 'webgpu' });
const capabilities = engine.capabilities!;
const { adapterName } = capabilities;
const { device } = tf.backend() as unknown as { device: GPUDevice };
const limits = Object.fromEntries(
  Object.entries(limitsOf(device)).filter(([, value]) => typeof value === 'number'),
);
const speed = await measureSpeed(engine, presets['small-llms'].training, 2);
const plan = await planRun(parseModelConfig(halfBillionConfig()), presets['small-llms'], 'webgpu');
const steps = await firstSteps(engine, values.quick ? 1 : 3);
engine.dispose();

const written = {
  marble: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  date: new Date().toISOString().slice(0, 10),
  machine: {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    system: `${platform()} ${release()}`,
    node: process.version,
    // above the number of cores, other work slowed the measurements
    loadAverage: [round(loadBefore), round(loadavg()[0])],
  },
  adapter: { ...capabilities, limits },
  speed,
  halfBillion: { preset: 'small-llms', plan, seconds: estimate(plan, speed) },
  steps,
};
await mkdir(values.out, { recursive: true });
const file = `${values.out}/${adapterName.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`;
await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
console.log(`Written to ${file}.`);
process.exit(0);

/**
 * The first steps of the run `ladder-25k`, by the trainer's own clocks. The first one compiles and fills pools, and is
 * not counted.
 */
async function firstSteps(engine: Engine, count: number): Promise<Record<string, number>[]> {
  const policy = await loadPolicy(engine, { files: await filesIn('public/models/ladder-25k') });
  const preset = presets['ladder-25k'];
  const last = 1 + count;
  const config = {
    ...preset,
    steps: last,
    evaluation: { ...preset.evaluation, every: last, items: 8, finalItems: 8 },
    checkpointEvery: last,
  };
  const taken: Record<string, number>[] = [];
  for await (const event of train(engine, policy, config, undefined, { anyway: true })) {
    if (event.type !== 'step' || event.record.step === 1) continue;
    const { record } = event;
    const figure = {
      step: record.step,
      seconds: round(record.step_time),
      rollout: round(record['time/rollout']),
      reward: round(record['time/reward']),
      reference: round(record['time/reference']),
      update: round(record['time/update']),
      sampledTokensPerSecond: round(record['tokens_per_second/rollout']),
      trainedTokensPerSecond: round(record['tokens_per_second/train']),
      meanLength: round(record['completions/mean_length']),
    };
    console.log(JSON.stringify(figure));
    taken.push(figure);
  }
  policy.dispose();
  return taken;
}

/** Limits are properties of the prototype, so a copy must enumerate them. */
function limitsOf({ limits }: GPUDevice): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name in limits) copy[name] = (limits as unknown as Record<string, unknown>)[name];
  return copy;
}
