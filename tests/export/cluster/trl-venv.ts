/** A Python with TRL in a folder of its own, made once; null, and a word on the console, where its wheels are not to be had. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampled } from '../../fixtures/sample';

const wheels = ['torch==2.13.0', 'transformers==5.18.0', 'trl==1.13.0', 'peft==0.21.0', 'pyarrow'];

/** The same by `npm run test:slow`; every other run of the tests says on the console that this is skipped. */
export function pythonOfSlowTests(what: string): string | null {
  const skipped = (): null => {
    console.log(`skipped: ${what} by \`npm run test:slow\` alone`);
    return null;
  };
  return sampled(skipped, pythonWithTrl)();
}

function pythonWithTrl(): string | null {
  const folder = process.env.MARBLE_TRL_VENV ?? join(tmpdir(), 'venv-trl');
  const python = join(folder, 'bin', 'python');
  const works = (): boolean => spawnSync(python, ['-c', 'import trl, peft, pyarrow']).status === 0;
  if (existsSync(python) && works()) return python;
  console.log(`installing ${wheels.join(', ')} into ${folder}`);
  spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...wheels], { stdio: 'inherit' });
  if (works()) return python;
  console.log('skipped: TRL cannot be installed here, so no step of it is held against ours');
  return null;
}
