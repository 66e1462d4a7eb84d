/** `marble-rl open`: what another program has left becomes a run's folder, which the other commands take. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { askedRun } from '../../src/command/asked-run';
import { evaluateRun } from '../../src/command/evaluate';
import { openInFolder } from '../../src/command/open';
import { renderPrompt } from '../../src/rl/rollout';
import { openSource } from '../../src/model/source/source';
import { readTokenizer } from '../../src/model/tokenizer/tokenizer-files';
import { score } from '../../src/reward/score';
import { openItems } from '../../src/rl/data';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import { encodeLink } from '../../src/share/link';
import { folderForEach, writeFiles } from '../fixtures/folder';
import { adapter } from '../export/adapter';
import { embeddedFiles } from '../export/model-folder';

const { evaluation, ...rest } = presets['ladder-25k'];
const settings: RunConfig = {
  ...rest,
  evaluation: { ...evaluation, items: 12, finalItems: 12, taskItems: 0 },
};

const folderNow = folderForEach('open');
let folder: string;
let said: string[];
const terminal = { isLive: false, say: (line: string) => void said.push(line), show: () => undefined };
beforeEach(() => {
  folder = folderNow();
  said = [];
});

/** A folder as TRL leaves it, with an adapter that spoils every answer. */
async function trained(): Promise<string> {
  const path = join(folder, 'trained');
  const spoiling = { rank: 4, alpha: 16, spread: 4 };
  await writeFiles(path, [
    ...Object.entries(adapter(spoiling, { 'mlp.down_proj': [32, 80] })),
    ['trainer_state.json', '{"log_history":[{"step":3,"reward":0.5}]}'],
    ['checkpoint-3/optimizer.pt', 'not read'],
  ]);
  return path;
}

/** The first two items of val.parquet, each with an answer. */
async function loadedAnswers(): Promise<{ row: string; input: string; output: string; score: number }[]> {
  const tokenizer = await readTokenizer(await openSource({ files: embeddedFiles('ladder-25k') }));
  return openItems(settings)
    .suite.items.slice(0, 2)
    .map((item, index) => {
      const output = `</think> <answer> ${item.answer} </answer>`;
      const input = renderPrompt(item, tokenizer).text;
      return { row: `val ${index}`, input, output, score: score(output, item, settings.reward).total };
    });
}

describe('marble-rl open', () => {
  it('makes a run’s folder of a log and an adapter, which evaluate then judges against its start', async () => {
    const out = join(folder, 'back');
    await openInFolder({ path: await trained(), folder: out, settings, places: {}, terminal });
    expect(said[0]).toContain('1 steps, 0 completions, 0 evaluations, an adapter');
    expect(readFileSync(join(out, 'metrics.csv'), 'utf8')).toContain('reward');
    const asked = await askedRun(out);
    expect(asked.config.training).toEqual({ mode: 'lora', rank: 4, alpha: 16 });
    const { report, verdict } = await evaluateRun({ asked, backend: 'wasm', places: {}, terminal });
    expect(report.step).toBe(3);
    expect(verdict?.belief.before).toBeGreaterThan(verdict!.belief.now);
    const plain = await evaluateRun({ asked, backend: 'wasm', prompt: 'plain', places: {}, terminal });
    expect([plain.prompt, plain.verdict, plain.report.emptyThinkFraction]).toEqual(['plain', null, 1]);
  });

  it('lets evaluate judge a run that answered a part of its items where it was trained', async () => {
    const path = await trained();
    const start = await loadedAnswers();
    mkdirSync(join(path, 'evaluations'));
    for (const step of [0, 3])
      writeFileSync(join(path, 'evaluations', `${step}.jsonl`), start.map((row) => `${JSON.stringify({ ...row, step })}\n`).join('')); // prettier-ignore
    writeFileSync(join(path, 'link.txt'), await encodeLink({ ...settings, training: { mode: 'lora', rank: 4, alpha: 16 } })); // prettier-ignore
    const out = join(folder, 'back');
    await openInFolder({ path, folder: out, settings, places: {}, terminal });
    expect(said[0]).toContain('2 evaluations, an adapter');
    const asked = await askedRun(out);
    const { report, verdict } = await evaluateRun({ asked, backend: 'wasm', places: {}, terminal });
    expect(report.overall.count).toBeGreaterThan(start.length);
    expect(verdict).not.toBeNull();
  });

  it('leaves a folder alone that holds a run, and names what is not there', async () => {
    const out = join(folder, 'back');
    const request = { folder: out, settings, places: {}, terminal };
    await openInFolder({ ...request, path: await trained() });
    await expect(openInFolder({ ...request, path: join(folder, 'trained') })).rejects.toMatchObject({ code: 'command/other-run' }); // prettier-ignore
    await expect(openInFolder({ ...request, path: join(folder, 'nowhere'), folder: join(folder, 'b') })).rejects.toMatchObject({ code: 'command/no-folder' }); // prettier-ignore
  });
});
