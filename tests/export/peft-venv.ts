/** Creates a virtual environment with PEFT once. Returns null and logs a message if the wheels cannot be installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampled } from '../fixtures/sample';

const wheels = ['torch>=2.13', 'transformers==5.24.0', 'peft==0.21.2'];

/** Returns the Python with PEFT in `npm run test:slow`. Other test runs log that the test is skipped. */
export function pythonOfSlowTests(): string | null {
  const skipped = (): null => {
    console.log('skipped: PEFT is run in `npm run test:slow` only');
    return null;
  };
  return sampled(skipped, pythonWithPeft)();
}

function pythonWithPeft(): string | null {
  const folder = process.env.MARBLE_PEFT_VENV ?? join(tmpdir(), 'venv-peft');
  const python = join(folder, 'bin', 'python');
  const works = (): boolean => spawnSync(python, ['-c', 'import peft']).status === 0;
  if (existsSync(python) && works()) return python;
  console.log(`installing ${wheels.join(', ')} into ${folder}`);
  spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...wheels], { stdio: 'inherit' });
  if (works()) return python;
  console.log('skipped: PEFT cannot be installed, so its logits are not compared with Marble’s');
  return null;
}
