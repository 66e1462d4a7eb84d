/**
 * What a step of a preset costs the CPU on wasm, for each response token:
 *
 *   node scripts/run.mjs bench/cpu-step.ts [--preset swap-shortcut] [--steps 8] [--warm-up 3] [--profile]
 *
 * Prints one JSON line. CPU time is that of the whole process: threads that compile and collect garbage are in it.
 * `--profile` prints where the time of the counted steps went instead, by the sampling profiler.
 */
import { Session, type Profiler } from 'node:inspector/promises';
import { parseArgs } from 'node:util';
import { modelFiles } from '../scripts/pretrain/model-files';
import { loadPolicy, openEngine, presets, train } from '../src/index';

const { values } = parseArgs({
  options: {
    preset: { type: 'string', default: 'swap-shortcut' },
    steps: { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '3' },
    profile: { type: 'boolean', default: false },
  },
});
const preset = presets[values.preset];
const warmUp = Number(values['warm-up']);
const steps = warmUp + Number(values.steps);
const rows = preset.rollout.promptsPerStep * preset.rollout.samplesPerPrompt;

const engine = await openEngine({ backend: 'wasm' });
if (preset.model.kind !== 'embedded') throw new Error(`The model of ${values.preset} is not in the project.`);
const files = await modelFiles(`public/models/${preset.model.name}`);
const policy = await loadPolicy(engine, { files });

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
const counted = { tokens: 0, cpu: 0, wall: 0, phases: phases.map(() => 0) };
let before = { cpu: 0, wall: 0 };
for await (const event of train(engine, policy, config)) {
  if (event.type === 'failed' || event.type === 'lost') throw new Error(event.error.message);
  if (event.type !== 'step') continue;
  const now = { cpu: cpuMs(), wall: performance.now() };
  const { record } = event;
  if (record.step > warmUp) {
    counted.tokens += Math.round(record['completions/mean_length'] * rows);
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
