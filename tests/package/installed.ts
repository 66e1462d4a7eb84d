/** The npm package as installed, in a separate project below the checkout, where its dependencies resolve. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from '../../scripts/package/build';

const root = join(import.meta.dirname, '..', '..');

export interface Project {
  folder: string;
  /** The package's folder in the project. */
  installed: string;
}

/**
 * Installs the package in a new project.
 *
 * @param name of the project; each test file needs its own, because an existing folder is replaced
 */
export async function installPackage(name: string): Promise<Project> {
  const folder = join(root, '.cache', 'test-package', name);
  const installed = join(folder, 'node_modules', 'marble-rl');
  const programs = join(folder, 'node_modules', '.bin');
  rmSync(folder, { recursive: true, force: true });
  const built = process.env.MARBLE_PACKAGE; // set by scripts/test.ts, which builds once for all projects
  if (built === undefined) await buildPackage(join(installed, 'dist-package'));
  else cpSync(built, join(installed, 'dist-package'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  // A separate package scope, otherwise the package's name would resolve to the surrounding checkout.
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  mkdirSync(programs, { recursive: true });
  symlinkSync('../marble-rl/dist-package/command.js', join(programs, 'marble-rl'));
  return { folder, installed };
}

export interface Ended {
  /** Null after a signal. */
  code: number | null;
  output: string;
}

/** Starts a program in a project and collects both output streams. */
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

/** Starts the command by its file, so that a signal reaches it instead of a shell. */
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
