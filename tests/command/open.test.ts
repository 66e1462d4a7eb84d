/** `marble-rl open`: what another program has left becomes a run's folder, which the other commands take. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { askedRun } from '../../src/command/asked-run';
import { mayUseFma } from '../../src/command/machine';
import { evaluateRun } from '../../src/command/subcommands/evaluate-command';
import { openInFolder } from '../../src/command/subcommands/open';
import { savedWeights } from '../../src/model/files/export';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import { folderForEach, writeFiles } from '../fixtures/folder';
import { adapter } from '../export/adapter';
import { terminalTo } from './terminal';

const { evaluation, ...rest } = presets['ladder-25k'];
const settings: RunConfig = {
  ...rest,
  evaluation: { ...evaluation, items: 12, finalItems: 12, hardItems: 0, taskItems: 0 },
};

const folderNow = folderForEach('open');
let folder: string;
const said: string[] = [];
const terminal = terminalTo(said);
beforeEach(() => {
  folder = folderNow();
});

/** A folder as TRL leaves it, with an adapter that spoils every answer. */
async function trained(): Promise<string> {
  const path = join(folder, 'trained');
  const spoiling = { rank: 4, alpha: 16, spread: 4 };
  await writeFiles(path, [
    ...Object.entries(adapter(spoiling, { 'mlp.down_proj': [32, 80] })),
    ['trainer_state.json', 'not read'],
    ['checkpoint-3/optimizer.pt', 'not read'],
  ]);
  return path;
}

it('a run keeps whether its products use FMA', () => {
  const chosen = { backend: 'wasm' as const, adapter: null, reason: '' };
  const began = [null, {}, { backend: chosen }, { backend: { ...chosen, fma: true } }];
  expect(began.map(mayUseFma)).toEqual([true, false, false, true]);
});

describe('marble-rl open', () => {
  it('makes a run’s folder of an adapter, which evaluate then judges against its start', async () => {
    const out = join(folder, 'back');
    await openInFolder({
      path: await trained(),
      folder: out,
      asked: { config: settings, page: null },
      places: {},
      terminal,
    });
    expect(said[0]).toContain('PEFT: ');
    expect(said[0]).toContain(': an adapter.');
    const asked = await askedRun(out);
    expect(asked.config.training).toEqual({ mode: 'lora', rank: 4, alpha: 16 });
    const { report, verdict } = await evaluateRun({ asked, backend: 'wasm', places: {}, terminal });
    expect(report.step).toBe(settings.steps);
    expect(verdict?.belief.before).toBeGreaterThan(verdict!.belief.now);
    const plain = await evaluateRun({ asked, backend: 'wasm', prompt: 'plain', places: {}, terminal });
    expect([plain.prompt, plain.verdict, plain.report.emptyThinkFraction]).toEqual(['plain', null, 1]);

    // In a single factor A, whose product no answer needs to show.
    asked.kept!.checkpoint!.policy.parameters[0] = NaN;
    await expect(evaluateRun({ asked, backend: 'wasm', places: {}, terminal })).rejects.toMatchObject({
      code: 'model/weights-not-finite',
      message: expect.stringContaining('lora_A') as string,
    });
    expect(() => savedWeights(asked.kept!.checkpoint!.policy)).toThrow('lora_A');
  });

  it('does not overwrite a folder that holds a run, and names a missing file', async () => {
    const out = join(folder, 'back');
    const request = { folder: out, asked: { config: settings, page: null }, places: {}, terminal };
    await openInFolder({ ...request, path: await trained() });
    await expect(openInFolder({ ...request, path: join(folder, 'trained') })).rejects.toMatchObject({ code: 'command/other-run' }); // prettier-ignore
    await expect(openInFolder({ ...request, path: join(folder, 'nowhere'), folder: join(folder, 'b') })).rejects.toMatchObject({ code: 'command/no-folder' }); // prettier-ignore
    expect(existsSync(join(folder, 'b'))).toBe(false);
  });
});
