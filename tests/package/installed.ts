/** The npm package as it would be installed, in a project of its own below the checkout, where its dependencies are found. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from '../../scripts/package/build';

const root = join(import.meta.dirname, '..', '..');

export interface Project {
  folder: string;
  /** Of the package within it. */
  installed: string;
}

/** @param name of the project, which only one file of tests may have: what stood there goes */
export async function installPackage(name: string): Promise<Project> {
  const folder = join(root, '.cache', 'test-package', name);
  const installed = join(folder, 'node_modules', 'marble-rl');
  const programs = join(folder, 'node_modules', '.bin');
  rmSync(folder, { recursive: true, force: true });
  const built = process.env.MARBLE_PACKAGE; // by scripts/test.ts, once for all its projects
  if (built === undefined) await buildPackage(join(installed, 'dist-package'));
  else cpSync(built, join(installed, 'dist-package'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  // A scope of its own: or the package's name would mean the checkout around it, built or not.
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  mkdirSync(programs, { recursive: true });
  symlinkSync('../marble-rl/dist-package/command.js', join(programs, 'marble-rl'));
  return { folder, installed };
}

export interface Ended {
  /** Null where a signal ended it. */
  code: number | null;
  output: string;
}

/** A program in a project, with what it prints to both streams. */
export function start(
  { folder }: Project,
  program: string,
  args: readonly string[],
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
  return { child, ended };
}

export function commandLine({ installed }: Project, ...args: string[]): string[] {
  return [process.execPath, join(installed, 'dist-package', 'command.js'), ...args];
}

/** The command, started by its file, so that a signal meets it and no shell. */
export function startCommand(
  project: Project,
  ...args: string[]
): { child: ChildProcess; ended: Promise<Ended> } {
  const [program, ...rest] = commandLine(project, ...args);
  return start(project, program, rest);
}

export async function command(project: Project, ...args: string[]): Promise<Ended> {
  return startCommand(project, ...args).ended;
}
