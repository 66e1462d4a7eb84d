/**
 * `npm test`: everything that says whether Marble holds. Lint, types, format and dead code count as one check each, the
 * tests one by one; the last line is their sum, and what failed stands by name above it. A part that fails does not keep
 * the next from running.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findChromium } from '../tests/fixtures/chromium';

/** npm scripts that pass or fail as a whole. */
const checks = ['check:lint', 'check:types', 'check:format', 'check:dead'];

/** Projects of vitest.config.ts, one after the other: they share two cores and one software GPU. */
const projects = ['unit', 'webgpu', 'browser', 'e2e'];

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

function run(command: string, args: readonly string[]): boolean {
  console.log(`\n> ${command} ${args.join(' ')}`);
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
  const installed = run('apt-get', ['update', '-qq']) && run('apt-get', ['install', '-y', '-qq', 'chromium']);
  if (!installed) console.log('The installation failed.');
  console.log(`Chromium: ${findChromium()}`);
}

function runProject(project: string, folder: string): Tally {
  const report = join(folder, `${project}.json`);
  const succeeded = run('npx', [
    'vitest',
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
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

function main(): number {
  const started = performance.now();
  const total: Tally = { passed: 0, failed: 0, skipped: 0, names: [] };
  const only = process.argv.slice(2);
  ensureChromium();
  for (const check of checks) {
    if (only.length > 0) break;
    if (run('npm', ['run', '--silent', check])) total.passed++;
    else {
      total.failed++;
      total.names.push(check);
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'marble-test-'));
  for (const project of projects) {
    if (only.length > 0 && !only.includes(project)) continue;
    const tally = runProject(project, folder);
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.skipped += tally.skipped;
    total.names.push(...tally.names);
  }
  rmSync(folder, { recursive: true, force: true });
  console.log(`\n${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
  for (const name of total.names) console.log(`failed: ${name}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed === 0 ? 0 : 1;
}

process.exitCode = main();
