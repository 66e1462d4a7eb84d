/**
 * Makes one run of study 3b, from its start to its last measurement, through the command `marble-rl`, so that an interrupted
 * stage or run resumes from its last checkpoint. `--id` names the run, `--out` the file for its line of JSON, and the
 * environment variable MARBLE_MODEL the GGUF file of SmolLM2-135M-Instruct. Everything is kept in .cache/study/real.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { encodeLink, loadPolicy, openEngine, type RunConfig } from '../../../src/index';
import { runInFolder } from '../../../src/command/asked-run';
import { filesIn } from '../../../src/command/model-places';
import { savedWeights } from '../../../src/model/files/export';
import { columnsOf, writeLine } from '../write-line';
import { measureReal, type MeasuredParts, type RealMeasurement } from './measure';
import { realRuns, stageConfig, startId, type RealPlan, type RealStart } from './plan';

const CACHE = '.cache/study/real';
const KEPT = ['reward', 'accuracy', 'format', 'think/mean_length', 'trace/validity', 'entropy', 'grad_norm'];

const model = process.env.MARBLE_MODEL;
if (model === undefined) throw new Error('Set MARBLE_MODEL to the GGUF file of SmolLM2-135M-Instruct.');
await writeLine(realRuns, (plan) => makeRun(plan, model));

async function makeRun({ id, start, config }: RealPlan, modelPath: string) {
  const begun = performance.now();
  const from = await adapterOf(start, modelPath);
  const ready = performance.now();
  const folder = join(CACHE, id.replaceAll('/', '_'));
  await trainTo(folder, config, modelPath, from);
  const trained = performance.now();
  const { history } = (await runInFolder(folder))!;
  const before = await measured(from, modelPath);
  const after = await measured(await exportAdapter(folder), modelPath);
  return {
    machine: history.record.machine,
    seconds: { start: (ready - begun) / 1000, training: (trained - ready) / 1000 },
    before,
    after,
    steps: columnsOf(history.steps, KEPT),
  };
}

/** The folder with the adapter of a start, trained if it does not exist. */
async function adapterOf(start: RealStart, modelPath: string): Promise<string> {
  const folder = join(CACHE, startId(start));
  const from = start.strength === 'able' ? await adapterOf({ ...start, strength: 'weak' }, modelPath) : null;
  await trainTo(folder, stageConfig(start), modelPath, from);
  return exportAdapter(folder);
}

/** Trains a run in `folder` to its end, or resumes it. Returns at once if it has ended. */
async function trainTo(
  folder: string,
  config: RunConfig,
  modelPath: string,
  adapter: string | null,
): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const isDone = join(folder, 'done');
  if (existsSync(isDone)) return;
  const begun = existsSync(folder) && (await runInFolder(folder)) !== null;
  const args = begun ? [] : [await encodeLink(config)];
  const places = ['--model', modelPath, ...(adapter === null ? [] : ['--adapter', adapter])];
  const options = ['--out', folder, '--backend', 'wasm', '--yes', '--anyway', ...places];
  const command = ['dist-package/command.js', 'train', ...args, ...options];
  const { status } = spawnSync(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`Training in ${folder} ended with ${status}.`);
  writeFileSync(isDone, '');
}

/** Writes the adapter of an ended run beside it, in float32. */
async function exportAdapter(folder: string): Promise<string> {
  const out = `${folder}.adapter`;
  if (existsSync(out)) return out;
  const run = await runInFolder(folder);
  if (run?.checkpoint == null) throw new Error(`${folder} has no checkpoint.`);
  mkdirSync(`${out}.part`, { recursive: true });
  for (const [name, blob] of Object.entries(savedWeights(run.checkpoint.policy))) {
    writeFileSync(join(`${out}.part`, name), Buffer.from(await blob.arrayBuffer()));
  }
  renameSync(`${out}.part`, out);
  return out;
}

/** The measurement of an adapter. Its parts are kept beside it. */
async function measured(adapter: string, modelPath: string): Promise<RealMeasurement> {
  const file = `${adapter}.json`;
  const made = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MeasuredParts) : {};
  const engine = await openEngine({ backend: 'wasm', threads: availableParallelism() });
  const source = { files: await filesIn(modelPath) };
  const policy = await loadPolicy(engine, source, { adapter: { files: await filesIn(adapter) } });
  const measurement = await measureReal(policy, made, (parts) => {
    writeFileSync(`${file}.part`, JSON.stringify(parts));
    renameSync(`${file}.part`, file);
  });
  policy.dispose();
  engine.dispose();
  return measurement;
}
