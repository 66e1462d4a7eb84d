/** The parts of `run-trl.py` that need no TRL, by plain python3. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import program from '../../src/export/run-trl.py?raw';
import { presets } from '../../src/run/presets';
import { decodeLink, encodeLink } from '../../src/share/link';
import { hasPython, runPython } from './python';

const driver = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("run_trl", "run-trl.py")
run_trl = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_trl)
link = json.load(sys.stdin)
print(json.dumps([run_trl.link_of({"link": link}, run_trl.asked_of(words)) for words in ([], ["--steps", "5"])]))
`;

describe.skipIf(!hasPython)('run-trl.py', () => {
  it('names the run that it trained: the exported one, with as many steps as were asked for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marble-run-trl-'));
    writeFileSync(join(folder, 'run-trl.py'), program);
    for (const config of [presets['micro-collapse'], { ...presets['micro-collapse'], steps: 40 }]) {
      const link = await encodeLink(config);
      const [whole, short] = runPython(driver, folder, link) as string[];
      expect(whole).toBe(link);
      expect((await decodeLink(short)).config).toEqual({ ...config, steps: 5 });
    }
    rmSync(folder, { recursive: true });
  });
});
