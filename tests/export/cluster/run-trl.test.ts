/** The parts of `run-trl.py` that need no TRL, by plain python3. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import check from '../../../src/export/cluster/check.py?raw';
import reward from '../../../src/export/cluster/reward.py?raw';
import program from '../../../src/export/cluster/run-trl.py?raw';
import { presets } from '../../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../../src/share/link';
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

  it('goes on from its last whole checkpoint, and forgets what was written behind it', () => {
    const trained = join(folder, 'trained');
    for (const name of ['rollouts', 'evaluations', 'checkpoint-2', 'checkpoint-10', 'checkpoint-11']) {
      mkdirSync(join(trained, name), { recursive: true });
    }
    const files = ['rollouts/9-0.jsonl', 'rollouts/10-0.jsonl', 'rollouts/11-0.jsonl', 'evaluations/0.jsonl'];
    // The last one was cut off before its state was written.
    files.push('checkpoint-2/trainer_state.json', 'checkpoint-10/trainer_state.json');
    for (const name of files) writeFileSync(join(trained, name), '{}');
    const left = (): string[] => ['rollouts', 'evaluations'].flatMap((name) => readdirSync(join(trained, name)).sort()); // prettier-ignore
    expect(runPython(resuming, folder, 'trained')).toEqual(['trained/checkpoint-10', 10]);
    expect(left()).toEqual(['10-0.jsonl', '9-0.jsonl', '0.jsonl']);
    expect(readdirSync(trained).sort()).toEqual(['checkpoint-10', 'checkpoint-2', 'evaluations', 'rollouts']);
    expect(runPython(resuming, folder, 'nowhere')).toEqual([null, 0]);
    expect(left()).toEqual([]);
  });

  it('names the run that it trained: the exported one, with as many steps as were asked for', async () => {
    for (const config of [presets['ladder-25k'], { ...presets['ladder-25k'], steps: 40 }]) {
      const link = await encodeLink(config);
      const [whole, short] = runPython(driver, folder, link) as string[];
      expect(whole).toBe(link);
      expect((await decodeLink(short)).config).toEqual({ ...config, steps: 5 });
    }
  });
});
