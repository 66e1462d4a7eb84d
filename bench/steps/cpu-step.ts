/**
 * What a step of a preset costs the CPU on wasm, for each response token:
 *
 *   node scripts/run.mjs bench/steps/cpu-step.ts [--preset swap-shortcut] [--steps 8] [--warm-up 3] [--profile]
 *     [--batches file]   writes the prompts and the responses of the counted steps, for `eager_step.py` to repeat
 *
 * Prints one JSON line. CPU time is that of the whole process: threads that compile and collect garbage are in it.
 * `--profile` prints where the time of the counted steps went instead, by the sampling profiler.
 */
import { writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { parseArgs } from 'node:util';
import { modelFiles } from '../../scripts/pretrain/model-files';
import { loadPolicy, openEngine, presets, train, type Policy } from '../../src/index';

const { values } = parseArgs({
  options: {
    preset: { type: 'string', default: 'swap-shortcut' },
    steps: { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '3' },
    batches: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
});
const preset = presets[values.preset];
const warmUp = Number(values['warm-up']);
const steps = warmUp + Number(values.steps);

const engine = await openEngine({ backend: 'wasm' });
if (preset.model.kind !== 'embedded') throw new Error(`The model of ${values.preset} is not in the project.`);
const folder = `public/models/${preset.model.name}`;
const policy = await loadPolicy(engine, { files: await modelFiles(folder) });

interface DrawnBatch {
  prompts: readonly (readonly number[])[];
  samples: number;
  responses: readonly (readonly number[])[];
}
let drawn: DrawnBatch | null = null;
const watched: Policy = {
  ...policy,
  generate: async (prompts, options) => {
    const completions = await policy.generate(prompts, options);
    const responses = completions.map(({ tokens }) => tokens);
    drawn = { prompts, samples: options.samplesPerPrompt, responses };
    return completions;
  },
};

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const phases = ['time/rollout', 'time/reward', 'time/reference', 'time/update'] as const;
const config = {
  ...preset,
  steps,
  evaluation: { ...preset.evaluation, every: steps + 1, items: 2, finalItems: 2, validationItems: 0 },
  checkpointEvery: steps + 1,
};

const session = new Session();
session.connect();
const batches: DrawnBatch[] = [];
const counted = { tokens: 0, cpu: 0, wall: 0, phases: phases.map(() => 0) };
let before = { cpu: 0, wall: 0 };
for await (const event of train(engine, watched, config)) {
  if (event.type === 'failed' || event.type === 'lost') throw new Error(event.error.message);
  if (event.type !== 'step') continue;
  const now = { cpu: cpuMs(), wall: performance.now() };
  const { record } = event;
  if (record.step > warmUp) {
    batches.push(drawn!);
    counted.tokens += drawn!.responses.reduce((sum, row) => sum + row.length, 0);
    counted.cpu += now.cpu - before.cpu;
    counted.wall += now.wall - before.wall;
    phases.forEach((phase, i) => (counted.phases[i] += record[phase]));
  } else if (record.step === warmUp && values.profile) {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
  }
  if (record.step === steps) break;
  before = { cpu: cpuMs(), wall: performance.now() };
}
if (values.profile) printProfile((await session.post('Profiler.stop')).profile);
if (values.batches) writeFileSync(values.batches, JSON.stringify({ folder, config, batches }));
const count = Number(values.steps);
console.log(
  JSON.stringify({
    by: 'marble',
    preset: values.preset,
    steps: count,
    responseTokens: counted.tokens,
    cpuMsPerStep: rounded(counted.cpu / count),
    wallMsPerStep: rounded(counted.wall / count),
    cpuMicrosPerToken: rounded((1000 * counted.cpu) / counted.tokens),
    wallSecondsOfPhases: Object.fromEntries(phases.map((phase, i) => [phase, rounded(counted.phases[i])])),
  }),
);
process.exit(0);

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Own time of the functions that took most of it. */
function printProfile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): void {
  const own = new Map<number, number>();
  samples.forEach((id, i) => own.set(id, (own.get(id) ?? 0) + timeDeltas[i]));
  const byFunction = new Map<string, number>();
  for (const { id, callFrame } of nodes) {
    const file = callFrame.url.split('/').at(-1) ?? '';
    const name = `${callFrame.functionName || '(anonymous)'} ${file}:${callFrame.lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + (own.get(id) ?? 0));
  }
  const total = timeDeltas.reduce((sum, micros) => sum + micros, 0);
  const sorted = [...byFunction].sort(([, a], [, b]) => b - a).slice(0, 60);
  for (const [name, micros] of sorted)
    console.log(`${((100 * micros) / total).toFixed(1).padStart(5)} %  ${name}`);
}
