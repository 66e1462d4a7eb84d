/**
 * `npm test`: lint, types, format, dead code and all tests, two parts at a time; each line starts with the name of its
 * part. Parts run independently of failures. The last lines list the failures by name and then the totals.
 *
 * `npm run test:slow`: the tests with the tag `long`, which `npm test` leaves out; the tests that use a sample in
 * `npm test` (those that import tests/fixtures/sample.ts), with all cases; and the matrix of WebGPU implementations
 * (scripts/matrix.ts).
 *
 * `npm run test:real`: the tests with a real model (tests/real), which `npm test` leaves out.
 *
 * `npm test -- --everything` (CI): the tests with the tag `long` and then those with a real model, after all others,
 * because in parallel they would slow the others down.
 *
 * Names select parts: `npm test -- unit check:lint`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { findChromium } from '../tests/fixtures/chromium';
import { buildPackage } from './package/build';

/** A test result of vitest's JSON reporter. */
interface Assertion {
  status: string;
  tags: string[];
  fullName: string;
  failureMessages: string[];
}
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; message: string; assertionResults: Assertion[] }[];
}

const started = performance.now();
const slow = process.argv.includes('--slow');
const everything = process.argv.includes('--everything');
const chosen = process.argv.slice(2).filter((option) => !option.startsWith('--'));

/** Projects of vitest.config.ts, longest first; `unit` covers both projects whose names begin with it. */
const projects = ['e2e', 'unit', 'webgpu', 'browser'];
const checks = slow ? ['matrix'] : ['check:lint', 'check:types', 'check:format', 'check:dead'];
const parts = [...projects, ...checks].filter((part) => chosen.length === 0 || chosen.includes(part));
const known = [...projects, ...checks, 'real', '--slow', '--everything'];
const unknown = process.argv.slice(2).filter((part) => !known.includes(part));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}; there are ${known.join(', ')}.`);
const real = everything || chosen.includes('real');

const sampledFiles = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((name) => join('tests', name))
  .filter((file) => file.endsWith('.test.ts') && /from '.*\/sample'/.test(readFileSync(file, 'utf8')));

/**
 * Environment of every part, taken before a build sets it to production. The package is built once for all tests that
 * install it.
 */
const env = {
  ...process.env,
  MARBLE_PACKAGE: join('node_modules', '.cache', 'test-package'),
  ...(slow && { MARBLE_SAMPLES: 'whole' }),
};

const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];

async function succeeds(part: string, command: string, args: string[]): Promise<boolean> {
  console.log(`${part} > ${command} ${args.join(' ')}`);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => console.log(`${part} | ${line}`));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status === 0));
  });
}

async function runCheck(check: string): Promise<void> {
  if (await succeeds(check, 'npm', ['run', '--silent', check])) total.passed += 1;
  else {
    total.failed += 1;
    failures.push(check);
  }
}

/** The test's name and the first lines of its message, for the end of the output. */
function described({ fullName, failureMessages }: Assertion): string {
  return [fullName, ...failureMessages.join('\n').split('\n').slice(0, 25)].join('\n  ');
}

/** Runs the tests of a project: those with the tag `long`, those without, or both. */
async function runProject(
  project: string,
  length: 'long' | 'short' | 'both',
  files: string[] = [],
): Promise<void> {
  const file = join('node_modules', '.cache', `test-${project}-${length}.json`);
  rmSync(file, { force: true });
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const filter = { long: ['--tags-filter=long'], short: ['--tags-filter=!long'], both: [] }[length];
  const selection = ['--project', `${project}*`, ...filter, ...files];
  const succeeded = await succeeds(project, 'npx', ['vitest', 'run', ...reporting, ...selection]);
  const nothing: Report = { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : nothing;
  const names = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${relative('.', name)}: ${message}`]),
    ...assertionResults.filter(({ status }) => status === 'failed').map(described),
  ]);
  // a file that fails to load fails no single test, and an unhandled error fails no file
  if (!succeeded && names.length === 0) names.push('an error outside of any test');
  total.passed += report.numPassedTests;
  total.failed += Math.max(report.numFailedTests, succeeded ? 0 : 1);
  const isLeftOut = ({ tags }: Assertion): boolean =>
    length !== 'both' && tags.includes('long') !== (length === 'long');
  total.skipped += report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((result) => result.status === 'skipped' && !isLeftOut(result)).length;
  failures.push(...names.map((name) => `${project}: ${name}`));
}

/** Installs Chromium if the package manager can do it with one command. */
function ensureChromium(): void {
  try {
    findChromium();
  } catch (missing) {
    if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) throw missing;
    console.log('No Chromium found: installing the package `chromium`.');
    spawnSync('apt-get update -qq && apt-get install -y -qq chromium', { shell: true, stdio: 'inherit' });
  }
  console.log(`Chromium: ${findChromium()}`);
}

async function work(): Promise<void> {
  for (let part = parts.shift(); part !== undefined; part = parts.shift())
    if (checks.includes(part)) await runCheck(part);
    else if (slow) {
      await runProject(part, 'both', sampledFiles);
      await runProject(part, 'long');
    } else await runProject(part, 'short');
}

ensureChromium();
if (real || parts.some((part) => projects.includes(part))) {
  const types = parts.indexOf('check:types'); // runs on the other core in the meantime
  const beside = types === -1 ? [] : parts.splice(types, 1);
  await Promise.all([buildPackage(env.MARBLE_PACKAGE), ...beside.map(runCheck)]);
}
// A third worker would only wait for the two cores, and share the GPU or its software adapter.
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
if (everything) for (const project of projects) await runProject(project, 'long');
if (real) await runProject('real', 'both');
console.log(`\n${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
for (const failure of failures) console.log(`failed: ${failure}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;
