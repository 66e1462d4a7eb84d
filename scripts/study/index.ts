/**
 * Makes every planned run that has no line yet and appends its line of JSON to the study's runs.jsonl in docs. It may be
 * stopped at any moment and started again: at most one run of the toys is lost, and pretraining resumes from its last 100
 * steps.
 *
 *   npm run experiments                        everything that is missing
 *   npm run experiments -- --only s21          the runs whose id has these letters
 *   npm run experiments -- --again ID          makes a run anew at the commit of its line, and compares digit for digit
 *   npm run experiments -- --list              what is made and what is missing
 *     [--processes 2]
 *     [--model FILE]    adds the runs of study 3b, whose model is this GGUF file of SmolLM2-135M-Instruct; one at a time
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { jsonLines, linesOf, type RunLine } from './lines';
import { realRuns } from './real/plan';
import { payRuns, runs, startId } from './study-plan';

/** Fields of a line that differ between processes or commits. */
const CIRCUMSTANCES = ['commit', 'date', 'machine', 'seconds'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    again: { type: 'string' },
    list: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
    model: { type: 'string' },
  },
});

interface Planned {
  id: string;
  /** File for its line. */
  file: string;
  /** Program that makes it. */
  job: string;
  /** Two runs with the same one are never made at once. */
  alone: string;
}

const toys = [...runs, ...payRuns].map(({ id, study, start }): Planned => {
  return { id, file: linesOf(study), job: 'scripts/study/job.ts', alone: startId(start) };
});
const real = realRuns.map(({ id }): Planned => {
  return { id, file: linesOf('3b'), job: 'scripts/study/real/job.ts', alone: 'the real model' };
});
const planned = values.model === undefined ? toys : [...toys, ...real];
const wanted = planned.filter(({ id }) => id.includes(values.only));
const made = new Map<string, RunLine>();
for (const file of new Set(planned.map((run) => run.file)))
  for (const line of jsonLines<RunLine>(file)) made.set(line.id, line);

// The runs of the real model are made by the command.
if (values.model !== undefined)
  execFileSync('npm', ['run', '--silent', 'build:package'], { stdio: 'inherit' });

if (values.again !== undefined) await makeAgain(values.again);
else if (values.list) {
  for (const { id } of wanted) console.log(`${made.has(id) ? 'made   ' : 'missing'} ${id}`);
} else await makeMissing();

async function makeMissing(): Promise<void> {
  const queue = wanted.filter(({ id }) => !made.has(id));
  const busy = new Set<string>();
  console.log(`${wanted.length} runs, ${queue.length} to make.`);
  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      // A start that another process is pretraining is waited for.
      const index = queue.findIndex(({ alone }) => !busy.has(alone));
      if (index === -1) {
        await new Promise((done) => setTimeout(done, 2000));
        continue;
      }
      const [plan] = queue.splice(index, 1);
      busy.add(plan.alone);
      const line = await make(plan);
      busy.delete(plan.alone);
      mkdirSync(dirname(plan.file), { recursive: true });
      appendFileSync(plan.file, `${JSON.stringify(line)}\n`);
      console.log(`${new Date().toISOString()} ${plan.id}; ${queue.length} left`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.processes) }, work));
}

/** Runs the job in a separate process with the sources in `folder`. */
async function make({ id, job: program }: Planned, folder = '.'): Promise<RunLine> {
  mkdirSync('.cache/study', { recursive: true });
  const out = resolve('.cache/study', `${id.replaceAll('/', '_')}-${process.pid}.json`);
  const job = ['scripts/run.mjs', program, '--id', id, '--out', out];
  const env = { ...process.env, ...(values.model !== undefined && { MARBLE_MODEL: resolve(values.model) }) };
  const child = spawn(process.execPath, job, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env });
  const code = await new Promise((done) => child.on('exit', done));
  if (code !== 0) throw new Error(`${id} ended with ${String(code)}; what it said stands above.`);
  const line = JSON.parse(readFileSync(out, 'utf8')) as RunLine;
  rmSync(out);
  return line;
}

async function makeAgain(id: string): Promise<void> {
  if (values.model === undefined && real.some((run) => run.id === id))
    throw new Error(`${id} is a run of study 3b. Name its GGUF file with --model.`);
  const plan = wanted.find((candidate) => candidate.id === id);
  const kept = made.get(id);
  if (plan === undefined || kept === undefined) throw new Error(`No run with the id ${id} is made.`);
  const line = await make(plan, sourcesAt(kept.commit));
  const same = isDeepStrictEqual(reproducible(line), reproducible(kept));
  console.log(`${id}: ${same ? 'the same to the last digit' : 'DIFFERS'}`);
  process.exitCode = same ? 0 : 1;
}

function reproducible(line: RunLine): unknown {
  return Object.fromEntries(Object.entries(line).filter(([name]) => !CIRCUMSTANCES.includes(name)));
}

/** The sources of a commit in a worktree: a change of the engine may round otherwise, and 150 steps show it. */
function sourcesAt(commit: string): string {
  const folder = `.cache/study/sources-${commit.slice(0, 12)}`;
  if (!existsSync(folder)) {
    execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { stdio: 'ignore' });
    symlinkSync(resolve('node_modules'), `${folder}/node_modules`);
  }
  return folder;
}
