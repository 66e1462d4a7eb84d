/**
 * Makes every run of the plan that has no line yet and adds its line of JSON to docs/study-2/runs.jsonl. It may be stopped
 * at any moment and started again: one run at most is lost, and pretraining goes on from its last 100 steps.
 *
 *   npm run experiments                        everything that is missing
 *   npm run experiments -- --only s21          the runs whose id has these letters
 *   npm run experiments -- --again ID          makes a run anew at the commit of its line, and compares digit for digit
 *   npm run experiments -- --list              what is made and what is missing
 *   npm run experiments -- --tuning            what chose the tokens, into docs/study-2/tuning.jsonl, until the rule has decided
 *     [--processes 2]
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { fractionOf } from './lines';
import type { Measurement } from './measure';
import { runs, startId, tuning, type RunPlan, type StartPlan } from './plan';

type Line = Record<string, unknown> & { id: string };

const FOLDER = 'docs/study-2';
/** What another process or commit may change of a line. */
const CIRCUMSTANCES = ['commit', 'date', 'machine', 'seconds'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    again: { type: 'string' },
    list: { type: 'boolean', default: false },
    tuning: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
  },
});
const linesFile = `${FOLDER}/${values.tuning ? 'tuning' : 'runs'}.jsonl`;
const wanted = (values.tuning ? tuning : runs).filter(({ id }) => id.includes(values.only));

if (values.again !== undefined) await makeAgain(values.again);
else if (values.list) {
  const done = madeLines();
  for (const { id } of wanted) console.log(`${done.has(id) ? 'made   ' : 'missing'} ${id}`);
} else await makeMissing();

function madeLines(): Map<string, Line> {
  if (!existsSync(linesFile)) return new Map();
  const lines = readFileSync(linesFile, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Line).map((line) => [line.id, line]));
}

async function makeMissing(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const made = madeLines();
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
      if (values.tuning && isDecided(plan)) continue;
      busy.add(startId(plan.start));
      const line = await make(plan);
      busy.delete(startId(plan.start));
      appendFileSync(linesFile, `${JSON.stringify(line)}\n`);
      console.log(`${new Date().toISOString()} ${plan.id}; ${queue.length} left`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.processes) }, work));
}

/** Whether a start of as many steps was too weak already, or all of fewer steps are strong enough. */
function isDecided({ start: { steps, rate, warmup } }: RunPlan): boolean {
  const all = [...madeLines().values()] as unknown as { start: StartPlan; before: Measurement }[];
  const lines = all.filter(({ start }) => start.rate === rate && start.warmup === warmup);
  const strong = (line: (typeof lines)[number]): boolean => {
    const { correct, trace } = line.before.hard;
    return fractionOf(correct, '1') >= 0.75 && fractionOf(trace, 'f') >= 0.6;
  };
  const isEnough = (count: number): boolean =>
    lines.filter((line) => line.start.steps === count && strong(line)).length === 4;
  return (
    lines.some((line) => line.start.steps === steps && !strong(line)) ||
    [1600, 2000, 2400].some((count) => count < steps && isEnough(count))
  );
}

/** Runs the job in a process of its own, by the sources in `folder`. */
async function make({ id }: RunPlan, folder = '.'): Promise<Line> {
  mkdirSync('.cache/study', { recursive: true });
  const out = resolve('.cache/study', `${id.replaceAll('/', '_')}-${process.pid}.json`);
  const job = ['scripts/run.mjs', 'scripts/study/job.ts', '--id', id, '--out', out];
  const child = spawn(process.execPath, job, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((done) => child.on('exit', done));
  if (code !== 0) throw new Error(`${id} ended with ${String(code)}; what it said stands above.`);
  const line = JSON.parse(readFileSync(out, 'utf8')) as Line;
  rmSync(out);
  return line;
}

async function makeAgain(id: string): Promise<void> {
  const plan = wanted.find((candidate) => candidate.id === id);
  const kept = madeLines().get(id);
  if (plan === undefined || kept === undefined) throw new Error(`No run with the id ${id} is made.`);
  const line = await make(plan, sourcesAt(String(kept.commit)));
  const same = isDeepStrictEqual(reproducible(line), reproducible(kept));
  console.log(`${id}: ${same ? 'the same to the last digit' : 'DIFFERS'}`);
  process.exitCode = same ? 0 : 1;
}

function reproducible(line: Line): unknown {
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
