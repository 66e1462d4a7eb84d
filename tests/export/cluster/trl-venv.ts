/** Creates a virtual environment with TRL once. Returns null and logs a message if the wheels cannot be installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampled } from '../../fixtures/sample';

const wheels = ['torch==2.14.1', 'transformers==5.24.0', 'trl==1.16.0', 'peft==0.21.2', 'pyarrow'];

/** Returns the Python with TRL in `npm run test:slow`. Other test runs log that the test is skipped. */
export function pythonOfSlowTests(what: string): string | null {
  const skipped = (): null => {
    console.log(`skipped: ${what} in \`npm run test:slow\` only`);
    return null;
  };
  return sampled(skipped, pythonWithTrl)();
}

function pythonWithTrl(): string | null {
  const folder = process.env.MARBLE_TRL_VENV ?? join(tmpdir(), 'venv-trl');
  const python = join(folder, 'bin', 'python');
  const works = (): boolean =>
    spawnSync(python, ['-c', 'import trl.trainer.grpo_trainer, peft, pyarrow']).status === 0;
  if (existsSync(python) && works()) return python;
  console.log(`installing ${wheels.join(', ')} into ${folder}`);
  spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...wheels], { stdio: 'inherit' });
  if (works()) return python;
  console.log('skipped: TRL cannot be installed, so its step is not compared with Marble’s');
  return null;
}
