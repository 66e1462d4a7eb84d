/**
 * The experiments of docs/experiments.md: makes every run of the plan that has no line yet, two processes at a time, and
 * adds one JSON line for each to docs/experiments/runs.jsonl when it is finished. It may be stopped at any moment and
 * started again: what has no line is made, from its beginning. What fails is written to docs/experiments/failures.jsonl.
 *
 *   npm run experiments                        everything that is missing
 *   npm run experiments -- --only H2           the runs of one hypothesis
 *   npm run experiments -- --again ID          makes one run anew, at the commit of its line, and compares digit for digit
 *   npm run experiments -- --list              what is done and what is missing
 *     [--processes 2] [--minutes 60]           begins no run after so many minutes
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { runs, type RunPlan } from './plan';
import { startFolder } from './start';

const FOLDER = 'docs/experiments';
const LINES = `${FOLDER}/runs.jsonl`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    again: { type: 'string' },
    list: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
    minutes: { type: 'string' },
  },
});

type Line = Record<string, unknown> & { id: string };

function finished(): Map<string, Line> {
  if (!existsSync(LINES)) return new Map();
  const lines = readFileSync(LINES, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return new Map(lines.map((line) => JSON.parse(line) as Line).map((line) => [line.id, line]));
}

/** Runs the job in a process of its own, by the sources in `folder`; null where it failed. */
async function make({ id }: RunPlan, folder = '.'): Promise<Line | null> {
  mkdirSync('.cache/experiments', { recursive: true });
  const out = `${resolve('.cache/experiments')}/${id.replaceAll('/', '_')}-${process.pid}.json`;
  const child = spawn(
    process.execPath,
    ['scripts/run.mjs', 'scripts/experiments/job.ts', '--id', id, '--out', out],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let complaint = '';
  child.stderr.on('data', (text) => (complaint = `${complaint}${text}`.slice(-4000)));
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0 || !existsSync(out)) {
    appendFileSync(
      `${FOLDER}/failures.jsonl`,
      `${JSON.stringify({ id, date: new Date().toISOString(), code, complaint })}\n`,
    );
    return null;
  }
  const line = JSON.parse(readFileSync(out, 'utf8')) as Line;
  rmSync(out);
  return line;
}

async function makeMissing(wanted: readonly RunPlan[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const deadline = values.minutes === undefined ? Infinity : Date.now() + 60_000 * Number(values.minutes);
  const done = finished();
  const queue = wanted.filter(({ id }) => !done.has(id));
  const busy = new Set<string>();
  console.log(`${wanted.length} runs, ${queue.length} to make.`);
  /** The next run whose start nobody is pretraining at this moment. */
  const take = (): RunPlan | null => {
    const index = queue.findIndex(
      ({ start }) => !busy.has(startFolder(start)) || existsSync(startFolder(start)),
    );
    return index === -1 ? null : queue.splice(index, 1)[0];
  };
  const work = async (): Promise<void> => {
    while (Date.now() < deadline) {
      const plan = take();
      if (plan === null && queue.length === 0) return;
      if (plan === null) {
        await new Promise((resolve) => setTimeout(resolve, 2000));
        continue;
      }
      busy.add(startFolder(plan.start));
      const line = await make(plan);
      busy.delete(startFolder(plan.start));
      if (line !== null) appendFileSync(LINES, `${JSON.stringify(line)}\n`);
      console.log(
        `${new Date().toISOString()} ${plan.id} ${line === null ? 'FAILED' : 'done'}; ${queue.length} left`,
      );
    }
  };
  await Promise.all(Array.from({ length: Number(values.processes) }, work));
}

/** What another process, commit or machine may change. */
const CIRCUMSTANCES = new Set(['commit', 'date', 'machine', 'seconds', 'pretraining']);

/** Everything of a line that another process must give again. */
function reproducible(line: Line): unknown {
  return Object.fromEntries(Object.entries(line).filter(([name]) => !CIRCUMSTANCES.has(name)));
}

/** The sources of a commit: a change of the engine may round otherwise, and a run of 150 steps shows it. */
function sourcesAt(commit: string): string {
  const folder = `.cache/experiments/sources-${commit.slice(0, 12)}`;
  if (!existsSync(folder)) {
    execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { stdio: 'ignore' });
    symlinkSync(resolve('node_modules'), `${folder}/node_modules`);
  }
  return folder;
}

async function makeAgain(id: string): Promise<void> {
  const plan = runs.find((candidate) => candidate.id === id);
  const kept = finished().get(id);
  if (plan === undefined || kept === undefined) throw new Error(`No run with the id ${id} is finished.`);
  const line = await make(plan, sourcesAt(String(kept.commit)));
  const same = line !== null && isDeepStrictEqual(reproducible(line), reproducible(kept));
  console.log(
    `${id} at ${String(kept.commit).slice(0, 12)}: ${same ? 'the same to the last digit' : 'DIFFERS'}`,
  );
  process.exitCode = same ? 0 : 1;
}

const wanted = runs.filter(({ hypotheses }) => values.only === undefined || hypotheses.includes(values.only));
if (values.again !== undefined) await makeAgain(values.again);
else if (values.list) {
  const done = finished();
  for (const { id, hypotheses } of wanted) {
    console.log(`${done.has(id) ? 'done   ' : 'missing'} ${id} (${hypotheses.join(', ')})`);
  }
} else await makeMissing(wanted);
