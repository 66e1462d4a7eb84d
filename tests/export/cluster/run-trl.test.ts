/** The parts of `run-trl.py` that do not need TRL, with python3 without packages. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import check from '../../../src/export/cluster/check.py?raw';
import reward from '../../../src/export/cluster/reward.py?raw';
import program from '../../../src/export/cluster/run-trl.py?raw';
import { presets } from '../../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../../src/share/settings-link';
import { folderForAll } from '../../fixtures/folder';
import { hasPython, runPython } from './python';

const loading = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("run_trl", "run-trl.py")
run_trl = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_trl)
`;

const driver = `${loading}
link = json.load(sys.stdin)
print(json.dumps([run_trl.link_of({"link": link}, run_trl.asked_of(words)) for words in ([], ["--steps", "5"])]))
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

  it('writes the link of the exported run with the requested number of steps', async () => {
    const { rollout } = presets['tom-rl'];
    const long = {
      ...presets['tom-rl'],
      rollout: { ...rollout, instruction: 'Überlege, was Zoë weiß. '.repeat(29) },
    };
    for (const config of [presets['ladder-25k'], { ...presets['ladder-25k'], steps: 40 }, long]) {
      const link = await encodeLink(config);
      expect(link.startsWith('#z=')).toBe(config === long);
      const [whole, short] = runPython(driver, folder, link) as string[];
      expect(whole).toBe(link);
      expect((await decodeLink(short)).config).toEqual({ ...config, steps: 5 });
    }
  });
});
