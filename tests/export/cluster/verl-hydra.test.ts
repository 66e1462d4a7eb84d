/**
 * verl's configuration composed by verl's own hydra with the overrides of an export: by `npm run test:slow`, where verl and
 * hydra are to be had. verl-script.test.ts holds the same keys against a list of verl's names, everywhere.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addedVerlKeys, verlSettings, verlVersion } from '../../../src/export/cluster/verl-settings';
import { algorithms } from '../../../src/objective/algorithm';
import { presets } from '../../../src/run/config/presets';
import { folderForAll } from '../../fixtures/folder';
import { runPython } from './python';
import { pythonOfSlowTests } from './trl-venv';

/** A Python in which hydra composes verl's files: MARBLE_VERL_PYTHON, or one made here; null where neither is to be had. */
function pythonWithVerl(): string | null {
  const folder = join(tmpdir(), 'venv-verl');
  const python = process.env.MARBLE_VERL_PYTHON ?? join(folder, 'bin', 'python');
  const works = (): boolean =>
    spawnSync(python, ['-c', 'import hydra, importlib.util as u; assert u.find_spec("verl")']).status === 0;
  if (existsSync(python) && works()) return python;
  if (process.env.MARBLE_VERL_PYTHON === undefined) {
    spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    // verl's own requirements bring CUDA; its configuration needs none of them.
    spawnSync(python, ['-m', 'pip', 'install', '--quiet', 'hydra-core'], { stdio: 'ignore' });
    spawnSync(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', `verl==${verlVersion}`], { stdio: 'ignore' }); // prettier-ignore
    if (works()) return python;
  }
  const why =
    process.env.MARBLE_VERL_PYTHON === undefined
      ? `verl ${verlVersion} and hydra cannot be installed here`
      : `MARBLE_VERL_PYTHON is ${process.env.MARBLE_VERL_PYTHON}, which does not import hydra and verl`;
  console.log(`skipped: ${why}, so verl’s configuration is not composed`);
  return null;
}

const python = pythonOfSlowTests('verl’s configuration is composed', pythonWithVerl);

const program = `
import importlib.util, json, os, sys
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
root = os.path.dirname(importlib.util.find_spec("verl").origin)
found = []
with initialize_config_dir(config_dir=os.path.join(root, "trainer", "config"), version_base=None):
    for overrides in json.load(sys.stdin):
        config = compose(config_name="ppo_trainer", overrides=overrides)
        keys = [each.lstrip("+").split("=", 1)[0] for each in overrides]
        found.append([key for key in keys if OmegaConf.select(config, key, default="nowhere") == "nowhere"])
print(json.dumps(found))
`;

describe.skipIf(python === null)('verl’s own hydra', () => {
  const folder = folderForAll('hydra');
  it('composes its configuration with every override of every algorithm', { timeout: 300_000 }, () => {
    const base = presets['ladder-25k'];
    const runs = (Object.keys(algorithms) as (keyof typeof algorithms)[]).map((name) => {
      const config = { ...base, algorithm: algorithms[name] };
      const { settings } = verlSettings(config, 99);
      return [...settings].map(([key, value]) => {
        const plus = (addedVerlKeys as readonly string[]).includes(key) ? '+' : '';
        const text = Array.isArray(value) ? `[${value.join(',')}]` : value === null ? 'null' : typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value); // prettier-ignore
        return `${plus}${key}=${text}`;
      });
    });
    // Hydra itself refuses an override of a key that is not there.
    // A folder of its own: Python imports what lies in the one it runs in.
    expect(runPython(program, folder, runs, python!)).toEqual(runs.map(() => []));
  });
});
