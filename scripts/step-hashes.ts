/**
 * Checks that training steps give the same bits: hashes of three steps of every embedded model, with all weights and
 * with LoRA, and of a few other algorithms (`tests/fixtures/step-hashes.ts`).
 *
 *     npx tsx scripts/step-hashes.ts [--backend wasm] [--only text]    compares with the recorded hashes of wasm
 *       [--write]         records these hashes instead, after an intended change of the arithmetic
 *       [--out file]      writes them to another file, to compare two commits on WebGPU
 *       [--against file]  compares with that file
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  goldenFile,
  goldenHashes,
  hashSteps,
  stepConfigs,
  type StepHashes,
} from '../tests/fixtures/step-hashes';
import { openEngine, type BackendName } from '../src/index';
import { compileKernels } from './build/kernels';

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'wasm' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    out: { type: 'string' },
    against: { type: 'string' },
  },
});

compileKernels();
if (values.backend === 'webgpu') {
  await import('../tests/fixtures/webgpu/restart');
  await import('../tests/fixtures/webgpu/node-webgpu');
}
const before = await known();
const engine = await openEngine({ backend: values.backend as BackendName, fma: false });
const newHashes: Record<string, StepHashes> = {};
for (const [name, config] of Object.entries(stepConfigs)) {
  if (!name.includes(values.only)) continue;
  const start = performance.now();
  newHashes[name] = await hashSteps(engine, config);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name} (${seconds} s): ${comparison(newHashes[name], before[name])}`);
}
engine.dispose();

if (values.write) await keep(goldenFile, { ...(await goldenHashes()), ...newHashes });
else if (values.out !== undefined) await keep(values.out, newHashes);

function keep(file: string | URL, hashes: object): Promise<void> {
  return writeFile(file, `${JSON.stringify(hashes, null, 2)}\n`);
}

async function known(): Promise<Partial<Record<string, StepHashes>>> {
  if (values.against !== undefined) {
    return JSON.parse(await readFile(values.against, 'utf8')) as Record<string, StepHashes>;
  }
  return values.backend === 'wasm' && !values.write ? goldenHashes() : {};
}

function comparison(now: StepHashes, then: StepHashes | undefined): string {
  if (then === undefined) return 'nothing to compare with';
  const names = Object.keys(now) as (keyof StepHashes)[];
  const changed = names.filter((name) => now[name] !== then[name]);
  if (changed.length === 0) return 'the same';
  process.exitCode = 1;
  return `DIFFERENT ${changed.join(', ')}`;
}
