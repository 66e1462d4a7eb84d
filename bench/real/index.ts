/**
 * `npm run bench -- real [table ...] [--quick] [--threads 1,2] [--backend webgpu]`: measures the parts of one step of
 * real models, each in its own process: on the CPU, or with `--backend webgpu` on this machine's adapter. On the CPU it
 * also measures the same step in PyTorch if MARBLE_PYTHON names a Python with torch (first-run: also transformers and
 * PEFT). `--quick` reduces every table to a few tokens, to test the benchmark itself.
 *
 * The 135M model comes from `../shared/models`, or from the folder MARBLE_MODEL, or has random weights.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from '../../scripts/package/build';
import { knownModelConfig } from '../../src/run/config/known-models';
import { presets } from '../../src/run/config/presets';
import { halfBillionConfig } from '../../tests/fixtures/half-billion';
import { hasShared, readSharedJson, sharedPath } from '../../tests/fixtures/shared';
import { webgpuEnv } from '../../tests/fixtures/webgpu/webgpu-env';
import { hasRealModel, writeRealModel } from '../../tests/real/model';
import { randomModelFiles } from './random-weights';
import { phases, type StepFigures, type StepSettings } from './settings';

interface Table {
  title: string;
  model: () => string | Promise<string>;
  step: Omit<StepSettings, 'model' | 'threads' | 'backend'>;
}

/** The prompt that the adapter start-640 was trained on. */
const messageOf = ({ story, question }: Record<'story' | 'question', string>): string =>
  `Read the story and answer the question. People only know what they saw. Think inside <think> </think>, then give one word inside <answer> </answer>.\n\n${story}\n\n${question}`;

const tables: Record<string, () => Table | Promise<Table>> = {
  long: () => ({
    title: '135M, 4 prompts of 300 tokens, 8 samples of 96 tokens, LoRA of rank 16',
    model: smallModel,
    step: { prompts: 4, promptTokens: 300, samples: 8, newTokens: 96, rank: 16, reference: true, steps: 1 },
  }),
  'first-run': async () => ({
    title:
      '135M, a step of a first run: 8 prompts of about 150 tokens, 4 samples of at most 112 tokens, LoRA of rank 32',
    model: smallModel,
    step: {
      ...{ prompts: 8, promptTokens: 150, samples: 4, newTokens: 112, rank: 32, reference: false, steps: 1 },
      ...(await firstRunStart()),
    },
  }),
  'half-billion': () => ({
    title: '0.5B of random weights, 1 prompt of 300 tokens, 8 samples of 96 tokens, LoRA of rank 16',
    model: () => randomModel('half-billion', halfBillionConfig()),
    step: { prompts: 1, promptTokens: 300, samples: 8, newTokens: 96, rank: 16, reference: true, steps: 1 },
  }),
  'half-billion-card': () => ({
    title: '0.5B of random weights, 8 prompts of 128 tokens, 8 samples of 384 tokens, LoRA of rank 16',
    model: () => randomModel('half-billion', halfBillionConfig()),
    step: { prompts: 8, promptTokens: 128, samples: 8, newTokens: 384, rank: 16, reference: true, steps: 2 },
  }),
  ladder: () => ({
    title: 'ladder-398k, 16 prompts of 48 tokens, 8 samples of 48 tokens, all weights, medians of 6 steps',
    model: () => 'public/models/ladder-398k',
    step: { prompts: 16, promptTokens: 48, samples: 8, newTokens: 48, rank: null, reference: true, steps: 6 },
  }),
};

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    threads: { type: 'string', default: '1,2' },
    backend: { type: 'string', default: 'wasm' },
  },
});
const backend: StepSettings['backend'] = values.backend === 'webgpu' ? 'webgpu' : 'wasm';
const unknown = positionals.filter((name) => !(name in tables));
if (unknown.length > 0)
  throw new Error(`There is no table ${unknown.join(', ')}; there are ${Object.keys(tables).join(', ')}.`);

const scratch = mkdtempSync(join(tmpdir(), 'marble-bench-'));
const packageFolder = join('node_modules', '.cache', 'bench-package');
let smallFolder: Promise<string> | null = null;
try {
  await buildPackage(packageFolder);
  console.log(`${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0].toFixed(1)}`);
  const usual = Object.keys(tables).filter((name) => backend === 'webgpu' || !name.endsWith('-card'));
  for (const name of positionals.length > 0 ? positionals : usual) await measure(await tables[name]());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);

async function measure({ title, model, step }: Table): Promise<void> {
  const settings = { ...step, ...(values.quick && cut(step)), model: await model(), backend };
  console.log(`\n${title}${values.quick ? ', cut short' : ''}\n`);
  printRow(['CPU s (wall s)', ...phases, 'step', 'response tokens', 'CPU ms a token', 'heap MB', 'RSS MB']);
  printRow(Array<string>(10).fill('---'));
  const python = backend === 'wasm' ? process.env.MARBLE_PYTHON : undefined;
  const programs = {
    Marble: [process.execPath, '--import', 'tsx', 'bench/real/step.ts', packageFolder],
    ...(python !== undefined && { PyTorch: [python, 'bench/real/step.py'] }),
  };
  for (const [name, program] of Object.entries(programs))
    for (const threads of backend === 'wasm' ? values.threads.split(',').map(Number) : [1]) {
      const label =
        backend === 'webgpu'
          ? 'Marble, WebGPU'
          : `${name}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
      printRow([label, ...cellsOf(figuresOf(program, { ...settings, threads }))]);
    }
}

function cut({ prompts, messages }: Table['step']): Partial<StepSettings> {
  return {
    ...{ prompts: Math.min(2, prompts), promptTokens: 24, samples: 2, newTokens: 8 },
    ...(messages && { messages: messages.slice(0, 2) }),
  };
}

/** Null if the program fails; it prints the reason to the console. */
function figuresOf([program, ...args]: string[], settings: StepSettings): StepFigures | null {
  const { status, stdout } = spawnSync(program, [...args, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    env: { ...process.env, ...(settings.backend === 'webgpu' && webgpuEnv) },
  });
  return status === 0 ? (JSON.parse(stdout.trim().split('\n').at(-1)!) as StepFigures) : null;
}

function cellsOf(figures: StepFigures | null): string[] {
  if (figures === null) return ['failed', ...Array<string>(8).fill('')];
  const { responseTokens, heap, resident } = figures;
  const format = (seconds: number): string => (seconds < 10 ? seconds.toPrecision(3) : seconds.toFixed(1));
  const cell = (cpu: number, wall: number): string => `${format(cpu)} (${format(wall)})`;
  const sum = (kind: 'cpu' | 'wall'): number =>
    phases.reduce((total, phase) => total + figures.phases[phase][kind], 0);
  const megabytes = (bytes: number | undefined): string =>
    bytes === undefined ? '' : (bytes / 1e6).toFixed(0);
  return [
    ...phases.map((phase) => cell(figures.phases[phase].cpu, figures.phases[phase].wall)),
    cell(sum('cpu'), sum('wall')),
    `${responseTokens}`,
    ((1000 * sum('cpu')) / responseTokens).toPrecision(3),
    megabytes(heap),
    megabytes(resident),
  ];
}

function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}

const smallModel = (): Promise<string> => (smallFolder ??= findSmallModel());

async function findSmallModel(): Promise<string> {
  if (hasRealModel()) {
    const folder = join(scratch, '135m');
    writeRealModel(folder);
    return folder;
  }
  return (
    process.env.MARBLE_MODEL ??
    randomModel('135m', { ...knownModelConfig(presets['first-run-135m'].model), torch_dtype: 'bfloat16' })
  );
}

async function randomModel(name: string, config: Record<string, unknown>): Promise<string> {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(randomModelFiles(config)))
    await writeFile(join(folder, file), content.stream());
  return folder;
}

/**
 * Stories and the warm start of the pilots if the model has its tokenizer; otherwise random prompts and a fresh
 * adapter.
 */
async function firstRunStart(): Promise<Partial<Table['step']>> {
  const pilots = 'prototypes/real';
  if (!hasShared(pilots) || !existsSync(join(await smallModel(), 'tokenizer.json'))) return {};
  const stories = readSharedJson(`${pilots}/stories-s90.json`) as Parameters<typeof messageOf>[0][];
  return {
    adapter: sharedPath(`${pilots}/start-640`),
    messages: stories.slice(0, 8).map(messageOf),
  };
}
