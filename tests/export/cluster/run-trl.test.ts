/** The parts of `run-trl.py` that do not need TRL, with python3 without packages. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import check from '../../../src/export/cluster/check.py?raw';
import reward from '../../../src/export/cluster/reward.py?raw';
import program from '../../../src/export/cluster/run-trl.py?raw';
import { folderForAll } from '../../fixtures/folder';
import { hasPython, runPython } from './python';

const loading = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("run_trl", "run-trl.py")
run_trl = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_trl)
`;

const resuming = `${loading}
checkpoint, step = run_trl.last_checkpoint(json.load(sys.stdin))
run_trl.forget_after("trained", step)
print(json.dumps([checkpoint, step]))
`;

const programs = { 'check.py': check, 'reward.py': reward, 'run-trl.py': program };

describe.skipIf(!hasPython)('run-trl.py', () => {
  const folder = folderForAll('run-trl');
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);

  it('resumes from its last complete checkpoint and removes later ones', () => {
    const trained = join(folder, 'trained');
    for (const name of ['checkpoint-2', 'checkpoint-10', 'checkpoint-11']) {
      mkdirSync(join(trained, name), { recursive: true });
    }
    // The last checkpoint is incomplete: its state is missing.
    for (const name of ['checkpoint-2', 'checkpoint-10'])
      writeFileSync(join(trained, name, 'trainer_state.json'), '{}');
    expect(runPython(resuming, folder, 'trained')).toEqual(['trained/checkpoint-10', 10]);
    expect(readdirSync(trained).sort()).toEqual(['checkpoint-10', 'checkpoint-2']);
    expect(runPython(resuming, folder, 'nowhere')).toEqual([null, 0]);
  });
});
