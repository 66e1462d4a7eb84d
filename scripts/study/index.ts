/**
 * Makes a run of a study again, with the sources of the commit that its line names, and compares every digit. All runs of
 * the studies are made; the programs that made them are in those sources.
 *
 *   npm run experiments -- --again ID
 *     [--model FILE]    GGUF file of SmolLM2-135M-Instruct, for a run of study 3b
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { readLines, type RunLine } from './lines';

/** Fields of a line that differ between processes or commits. */
const CIRCUMSTANCES = ['commit', 'date', 'machine', 'seconds'];

const { values } = parseArgs({ options: { again: { type: 'string' }, model: { type: 'string' } } });
const id = values.again;
const study = (['2', '3a', '3b'] as const).find((name) => readLines(name).some((line) => line.id === id));
if (id === undefined || study === undefined)
  throw new Error(`Name a run with --again. No run has the id ${id}.`);
if (study === '3b' && values.model === undefined)
  throw new Error(`${id} is a run of study 3b. Name its GGUF file with --model.`);

const kept = readLines(study).find((line) => line.id === id)!;
const line = make(sourcesAt(kept.commit));
const same = isDeepStrictEqual(reproducible(line), reproducible(kept));
console.log(`${id}: ${same ? 'the same to the last digit' : 'DIFFERS'}`);
process.exitCode = same ? 0 : 1;

/** Runs the study's job in a separate process with the sources in `folder`. */
function make(folder: string): RunLine {
  const out = resolve(folder, 'line.json');
  const program = study === '3b' ? 'scripts/study/real/job.ts' : 'scripts/study/job.ts';
  const env = { ...process.env, ...(values.model !== undefined && { MARBLE_MODEL: resolve(values.model) }) };
  const options = { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] as 'ignore'[] };
  // The runs of the real model are made by the command.
  if (study === '3b') execFileSync('npm', ['run', '--silent', 'build:package'], options);
  const job = ['scripts/run.mjs', program, '--id', id!, '--out', out];
  const { status } = spawnSync(process.execPath, job, options);
  if (status !== 0) throw new Error(`${id} ended with ${status}; its messages are above.`);
  const made = JSON.parse(readFileSync(out, 'utf8')) as RunLine;
  rmSync(out);
  return made;
}

function reproducible(run: RunLine): unknown {
  return Object.fromEntries(Object.entries(run).filter(([name]) => !CIRCUMSTANCES.includes(name)));
}

/** The sources of a commit in a worktree. Another engine may round differently, and 150 steps amplify it. */
function sourcesAt(commit: string): string {
  const folder = resolve(`.cache/study/sources-${commit.slice(0, 12)}`);
  if (!existsSync(folder)) {
    mkdirSync('.cache/study', { recursive: true });
    execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { stdio: 'ignore' });
    symlinkSync(resolve('node_modules'), `${folder}/node_modules`);
  }
  return folder;
}
