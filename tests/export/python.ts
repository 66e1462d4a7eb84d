/** Runs python3 without packages. Tests report a skip if it is missing. */
import { spawnSync } from 'node:child_process';

export const python = 'python3';

export const hasPython = spawnSync(python, ['--version']).status === 0;
if (!hasPython) console.log('skipped: there is no python3, so the notebook is not run');

/** Runs a program with JSON on its standard input, and reads JSON from its standard output. */
export function runPython(program: string, folder: string, input: unknown, executable = python): unknown {
  const { status, stdout, stderr } = spawnSync(executable, ['-B', '-c', program], {
    cwd: folder,
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (status !== 0) throw new Error(`python3 failed: ${stderr.slice(-2000)}`);
  return JSON.parse(stdout);
}
