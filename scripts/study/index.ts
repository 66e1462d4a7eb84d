/**
 * Makes every planned run that has no line yet and appends its line of JSON to docs/study-2/runs.jsonl or
 * docs/study-3a/runs.jsonl. It may be stopped at any moment and started again: one run at most is lost, and pretraining
 * resumes from its last 100 steps.
 *
 *   npm run experiments                        everything that is missing
 *   npm run experiments -- --only s21          the runs whose id has these letters
 *   npm run experiments -- --again ID          makes a run anew at the commit of its line, and compares digit for digit
 *   npm run experiments -- --list              what is made and what is missing
 *     [--processes 2]
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { linesOf, readLines, type RunLine } from './lines';
import { payRuns, runs, startId, type RunPlan } from './study-plan';

/** Fields of a line that differ between processes or commits. */
const CIRCUMSTANCES = ['commit', 'date', 'machine', 'seconds'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    again: { type: 'string' },
    list: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
  },
});
const allLines = (): RunLine[] => [...readLines('2'), ...readLines('3a')];
const wanted = [...runs, ...payRuns].filter(({ id }) => id.includes(values.only));

if (values.again !== undefined) await makeAgain(values.again);
else if (values.list) {
  const done = new Set(allLines().map(({ id }) => id));
  for (const { id } of wanted) console.log(`${done.has(id) ? 'made   ' : 'missing'} ${id}`);
} else await makeMissing();

async function makeMissing(): Promise<void> {
  const made = new Set(allLines().map(({ id }) => id));
  const queue = wanted.filter(({ id }) => !made.has(id));
  const busy = new Set<string>();
  console.log(`${wanted.length} runs, ${queue.length} to make.`);
  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      // A start that another process is pretraining is waited for.
      const index = queue.findIndex(({ start }) => !busy.has(startId(start)));
      if (index === -1) {
        await new Promise((done) => setTimeout(done, 2000));
        continue;
      }
      const [plan] = queue.splice(index, 1);
      busy.add(startId(plan.start));
      const line = await make(plan);
      busy.delete(startId(plan.start));
      const file = linesOf(plan.study);
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      console.log(`${new Date().toISOString()} ${plan.id}; ${queue.length} left`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.processes) }, work));
}

/** Runs the job in a separate process with the sources in `folder`. */
async function make({ id }: RunPlan, folder = '.'): Promise<RunLine> {
  mkdirSync('.cache/study', { recursive: true });
  const out = resolve('.cache/study', `${id.replaceAll('/', '_')}-${process.pid}.json`);
  const job = ['scripts/run.mjs', 'scripts/study/job.ts', '--id', id, '--out', out];
  const child = spawn(process.execPath, job, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((done) => child.on('exit', done));
  if (code !== 0) throw new Error(`${id} ended with ${String(code)}; what it said stands above.`);
  const line = JSON.parse(readFileSync(out, 'utf8')) as RunLine;
  rmSync(out);
  return line;
}

async function makeAgain(id: string): Promise<void> {
  const plan = wanted.find((candidate) => candidate.id === id);
  const kept = allLines().find((line) => line.id === id);
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
