/** Measures one step of a model in its own process: `node --import tsx bench/real/step.ts PACKAGE SETTINGS`. */
import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Dawn from '../../src/command/dawn';
import type * as Library from '../../src/index';
import { phases, type StepFigures, type StepSettings } from './settings';

type Phase = (typeof phases)[number];
interface Time {
  cpu: number;
  wall: number;
}

const [packageFolder, settingsJson] = process.argv.slice(2);
const settings = JSON.parse(settingsJson) as StepSettings;
// Imports the built package, because the module runner of the other benchmarks would add its own memory.
const imported = (file: string): Promise<unknown> => import(pathToFileURL(join(packageFolder, file)).href);
const library = (await imported('index.js')) as typeof Library;
const { openDawn } = (await imported('dawn.js')) as typeof Dawn;

if (settings.backend === 'webgpu') await openDawn();
const engine = await library.openEngine({ backend: settings.backend, threads: settings.threads });
const policy = await library.loadPolicy(
  engine,
  { files: await filesIn(settings.model) },
  settings.adapter !== undefined
    ? { adapter: { files: await filesIn(settings.adapter) } }
    : settings.rank !== null
      ? { lora: { rank: settings.rank, alpha: 2 * settings.rank } }
      : {},
);
policy.freezeReference();

const warmUp = settings.steps > 1 ? 1 : 0;
const times: Record<Phase, Time[]> = { sampling: [], reference: [], training: [], update: [] };
let responseTokens = 0;
for (let step = 0; step < warmUp + settings.steps; step++) await takeStep(step);
const medians = phases.map((phase) => [phase, medianOf(times[phase].slice(warmUp))]);
const figures: StepFigures = {
  phases: Object.fromEntries(medians) as StepFigures['phases'],
  responseTokens,
  heap: engine.memory().peak,
  resident: peakResident(),
};
console.log(JSON.stringify(figures));
policy.dispose();
engine.dispose();

/** Linux inherits `maxRSS` from the parent process; VmHWM belongs to this process alone. */
function peakResident(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  return 1024 * Number(kilobytes ?? process.resourceUsage().maxRSS);
}

async function filesIn(folder: string): Promise<Record<string, Blob>> {
  const names = (await readdir(folder)).filter((name) => /\.(json|safetensors)$/.test(name));
  const files = names.map(async (name) => [name, await openAsBlob(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(files));
}

async function timed<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  times[phase].push({ cpu: (user + system) / 1e6, wall: (performance.now() - start) / 1000 });
  return result;
}

function medianOf(list: readonly Time[]): Time {
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return { cpu: middle(list.map(({ cpu }) => cpu)), wall: middle(list.map(({ wall }) => wall)) };
}

/** Random ids, or the messages in the model's chat template with `<think>` as prefill. */
function promptsOf(step: number): number[][] {
  const { prompts, promptTokens, messages } = settings;
  const { tokenizer, config } = policy;
  if (messages !== undefined && tokenizer !== null)
    return messages.map((content) => [
      ...tokenizer.chat([{ role: 'user', content }]),
      ...tokenizer.encode('<think>'),
    ]);
  const id = (index: number): number => (Math.imul(index + 1, 2654435761) >>> 8) % config.vocabularySize;
  return Array.from({ length: prompts }, (_, prompt) =>
    Array.from({ length: promptTokens }, (_, t) => id((step * prompts + prompt) * promptTokens + t)),
  );
}

async function takeStep(step: number): Promise<void> {
  const { samples, newTokens, messages, reference } = settings;
  const prompts = promptsOf(step);
  const stopIds =
    messages === undefined ? [] : [...policy.config.eosTokenIds, ...(policy.tokenizer?.stopIds ?? [])];
  const completions = await timed('sampling', () =>
    policy.generate(prompts, {
      ...{ samplesPerPrompt: samples, maxNewTokens: newTokens, temperature: 1 },
      ...{ seed: 1, stream: step, stopIds },
    }),
  );
  responseTokens = completions.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const promptOf = (index: number): number[] => prompts[Math.floor(index / samples)];
  const sequences = completions.map(({ tokens }, index) => [...promptOf(index), ...tokens]);
  const lengths = completions.map((_, index) => promptOf(index).length);
  if (reference) await timed('reference', () => policy.logprobs(sequences, lengths, { adapter: 'off' }));
  // As in the trainer: one prompt's samples at a time, or all samples of a small model at once.
  const size = settings.rank === null ? sequences.length : samples;
  await timed('training', async () => {
    for (let first = 0; first < sequences.length; first += size) {
      const end = first + size;
      await policy.backward(sequences.slice(first, end), lengths.slice(first, end), {
        objective: ({ logprobs }) => ({
          logprobs: logprobs.map((row, index) =>
            row.map(() => ((index % samples) - (samples - 1) / 2) / responseTokens),
          ),
        }),
      });
    }
  });
  await timed('update', async () => {
    await policy.update({
      ...{ learningRate: 1e-4, beta1: 0.9, beta2: 0.95, epsilon: 1e-8 },
      ...{ weightDecay: 0, maxGradNorm: 1 },
    });
    await engine.check();
  });
}
