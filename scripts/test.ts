/**
 * `npm test`: everything that says whether Marble holds. Lint, types, format and dead code count as one check each, the
 * tests one by one; the last line is their sum, and what failed stands by name above it. A part that fails does not keep
 * the next from running. Two parts run at a time, and each line that a part prints begins with its name.
 *
 * `npm run test:slow`: the tests that take a sample in `npm test` (those that import tests/fixtures/sample.ts), with all of it,
 * and the matrix of implementations of WebGPU (scripts/matrix.ts).
 *
 * Names of parts choose among them: `npm test -- unit check:lint`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findChromium } from '../tests/fixtures/chromium';

/** Projects of vitest.config.ts, those that take longest first; `unit` is both that begin with it. */
const projects = ['e2e', 'unit', 'webgpu', 'browser'];

/** npm scripts that pass or fail as a whole. */
const checks = ['check:lint', 'check:types', 'check:format', 'check:dead'];

/** One more would only wait for the same two cores, and share the GPU or its software adapter. */
const AT_ONCE = Math.min(2, availableParallelism());

interface VitestSummary {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; message: string; assertionResults: { status: string; fullName: string }[] }[];
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed. */
  names: string[];
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

/** Finds Chromium, or installs it where that is one command of a package manager we may use. */
function ensureChromium(): void {
  try {
    console.log(`Chromium: ${findChromium()}`);
    return;
  } catch (missing) {
    const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
    if (!mayInstall) throw missing;
  }
  console.log('No Chromium found: installing the package `chromium`.');
  const apt = (...args: string[]): boolean => succeeds('apt-get', args);
  if (!(apt('update', '-qq') && apt('install', '-y', '-qq', 'chromium')))
    console.log('The installation failed.');
  console.log(`Chromium: ${findChromium()}`);
}

async function printLines(part: string, stream: Readable): Promise<void> {
  for await (const line of createInterface(stream)) console.log(`${part} | ${line}`);
}

/** Whether the command succeeded. */
async function run(
  part: string,
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<boolean> {
  console.log(`${part} > ${command} ${args.join(' ')}`);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const status = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  await Promise.all([printLines(part, child.stdout), printLines(part, child.stderr), status]);
  return (await status) === 0;
}

/** Runs once, as a whole, in `test:slow`. */
const MATRIX = 'matrix';

async function runCheck(check: string): Promise<Tally> {
  const passed = await run(check, 'npm', ['run', '--silent', check]);
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0, names: passed ? [] : [check] };
}

/** Files of tests that take a sample. */
function sampledFiles(): string[] {
  return readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('tests', name))
    .filter((file) => /from '.*\/sample'/.test(readFileSync(file, 'utf8')));
}

async function runProject(project: string, folder: string, slow: boolean): Promise<Tally> {
  const report = join(folder, `${project}.json`);
  const selection = slow ? sampledFiles() : [];
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const succeeded = await run(
    project,
    'npx',
    ['vitest', 'run', '--project', `${project}*`, ...reporting, ...selection],
    slow ? { MARBLE_SAMPLES: 'whole' } : {},
  );
  if (!existsSync(report))
    return { passed: 0, failed: 1, skipped: 0, names: [`${project}: wrote no report`] };
  const summary = JSON.parse(readFileSync(report, 'utf8')) as VitestSummary;
  // a file that does not load fails no single test, and an unhandled error not even a file
  const failed = Math.max(summary.numFailedTests, succeeded ? 0 : 1);
  const names = failed === 0 ? [] : failedIn(project, summary);
  return { passed: summary.numPassedTests, failed, skipped: summary.numPendingTests, names };
}

function failedIn(project: string, { testResults }: VitestSummary): string[] {
  const tests = testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${relative('.', name)}: ${message}`]),
    ...assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  ]);
  return (tests.length > 0 ? tests : ['an error outside of any test']).map((name) => `${project}: ${name}`);
}

async function main(): Promise<number> {
  const started = performance.now();
  const options = process.argv.slice(2);
  const slow = options.includes('--slow');
  const only = options.filter((option) => option !== '--slow');
  ensureChromium();
  const folder = mkdtempSync(join(tmpdir(), 'marble-test-'));
  const waiting = [...projects, ...(slow ? [MATRIX] : checks)].filter(
    (part) => only.length === 0 || only.includes(part),
  );
  const total: Tally = { passed: 0, failed: 0, skipped: 0, names: [] };
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const tally =
        part === MATRIX || checks.includes(part)
          ? await runCheck(part)
          : await runProject(part, folder, slow);
      total.passed += tally.passed;
      total.failed += tally.failed;
      total.skipped += tally.skipped;
      total.names.push(...tally.names);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  rmSync(folder, { recursive: true, force: true });
  console.log(`\n${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
  if (total.skipped > 0) console.log(`${total.skipped} skipped`);
  for (const name of total.names) console.log(`failed: ${name}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

process.exitCode = await main();
