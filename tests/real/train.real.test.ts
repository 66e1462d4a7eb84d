import { existsSync, openAsBlob, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithms, encodeLink, presets, type RunConfig } from '../../src/index';
import { unzipFiles } from '../export/unzip-files';
import { openSafetensors } from '../../src/model/files/safetensors';
import { blobSource } from '../../src/model/source/byte-source';
import { runInFolder } from '../../src/command/asked-run';
import { runPython } from '../export/python';
import { folderForAll, writeFiles } from '../fixtures/folder';
import { hasShared, sharedPath } from '../fixtures/shared';
import { metricsRows } from '../fixtures/metrics-rows';
import { command, installPackage, startCommand, type Project } from '../package/installed';
import { readGolden } from './golden';
import { hasRealModel, writeRealModel } from './model';

const pilot = 'prototypes/real';
const reinforce = algorithms['reinforce++'];

/** The pilot of a first run with its start and its stories, reduced to two of its eight prompts. */
const config: RunConfig = {
  ...presets['small-llms'],
  model: { kind: 'files', name: 'smollm2-135m-instruct' },
  training: { mode: 'lora', rank: 32, alpha: 64, adapter: 'files:start-640' },
  data: { source: 'imported:stories-s90', orders: [1], dropShortcutRight: 0, reentry: false },
  reward: { preset: 'logic-rl' },
  algorithm: { ...reinforce, kl: { ...reinforce.kl, place: 'none', coefficient: 0 } },
  rollout: { promptsPerStep: 2, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 112 },
  optimizer: { ...presets['small-llms'].optimizer, learningRate: 2e-4 },
  steps: 2,
  evaluation: { every: 2, items: 1, hardItems: 0, seed: 7, taskItems: 0 },
  checkpointEvery: 1,
};

const processes = '/proc';

/** CPU time of a process, which other programs affect less than wall time. */
function cpuTicks(pid: number): number {
  const status = readFileSync(join(processes, `${pid}`, 'stat'), 'utf8');
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]); // utime and stime
}

const peftReads = `
import json, sys
from peft import PeftModel, get_peft_model_state_dict
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM
folder = json.load(sys.stdin)
model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(folder), 'adapter')
held, saved = get_peft_model_state_dict(model), load_file('adapter/adapter_model.safetensors')
print(json.dumps(sorted(held) == sorted(saved) and all(held[name].equal(saved[name]) for name in saved)))
`;

describe.skipIf(!hasRealModel() || !hasShared(pilot) || !existsSync(processes))(
  'a run of SmolLM2-135M-Instruct with the command',
  () => {
    const model = folderForAll('real-model');
    let project: Project;
    let run: string[];
    beforeAll(async () => {
      writeRealModel(model);
      project = await installPackage('real-train');
      const data = [
        '--adapter',
        sharedPath(`${pilot}/start-640`),
        '--data',
        sharedPath(`${pilot}/stories-s90.json`),
      ];
      const where = ['--backend', 'wasm', '--anyway', '--out'];
      run = ['train', await encodeLink(config), '--model', model, ...data, ...where];
    });

    afterAll(() => rmSync(project.folder, { recursive: true, force: true })); // half a gigabyte

    const inFolder = (...names: string[]): string => join(project.folder, ...names);
    const filesOf = async (folder: string) => ({
      rows: metricsRows(readFileSync(inFolder(folder, 'metrics.csv'), 'utf8')),
      others: readFileSync(inFolder(folder, 'everything.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => /^\{"type":"(eval|rollout)"/.test(line)),
      adapter: await unzipFiles(await openAsBlob(inFolder(folder, 'adapter.zip'))),
    });

    /** Resolves when the run has printed the line of a step. */
    function stepPrinted({ child, ended }: ReturnType<typeof startCommand>, step: number): Promise<void> {
      const printed = new Promise<void>((resolve) => {
        child.stdout!.on('data', (text) => {
          if (String(text).includes(`step ${step}/2 `)) resolve();
        });
      });
      return Promise.race([printed, ended.then(({ output }) => Promise.reject(new Error(output)))]);
    }

    it('gives the same bits after a kill in its second step and a resume', async () => {
      const unbroken = startCommand(project, ...run, 'whole');
      await stepPrinted(unbroken, 1);
      const before = cpuTicks(unbroken.child.pid!);
      await stepPrinted(unbroken, 2);
      const stepTicks = cpuTicks(unbroken.child.pid!) - before;
      const { code, output } = await unbroken.ended;
      expect(code, output).toBe(0);

      const { child, ended } = startCommand(project, ...run, 'killed');
      await stepPrinted({ child, ended }, 1);
      const half = cpuTicks(child.pid!) + stepTicks / 2;
      while (cpuTicks(child.pid!) < half) await wait(50);
      child.kill('SIGKILL');
      await ended;
      const { history } = (await runInFolder(inFolder('killed')))!;
      expect(history.record).toMatchObject({ status: 'running', step: 1, checkpointStep: 1 });

      const resumed = await command(project, ...run, 'killed');
      expect(resumed.output).toContain('Resumes from step 1.');
      expect(resumed.code, resumed.output).toBe(0);

      const [whole, killed] = [await filesOf('whole'), await filesOf('killed')];
      expect(whole.rows.filter(({ grad_norm }) => Number(grad_norm) > 0)).toHaveLength(2);
      expect(killed.rows).toEqual(whole.rows);
      expect(whole.others.length).toBeGreaterThan(0);
      expect(killed.others).toEqual(whole.others);
      const name = 'adapter_model.safetensors';
      const bytes = async ({ adapter }: typeof whole): Promise<Buffer> =>
        Buffer.from(await adapter[name].arrayBuffer());
      expect((await bytes(killed)).equals(await bytes(whole))).toBe(true);
    });

    it('has an adapter in PEFT’s layout', async () => {
      const { adapter } = await filesOf('whole');
      expect(JSON.parse(await adapter['adapter_config.json'].text())).toMatchObject({
        peft_type: 'LORA',
        r: 32,
        lora_alpha: 64,
      });
      const tensors = await openSafetensors(blobSource(adapter['adapter_model.safetensors']));
      const modules = Object.keys(readGolden().lora.grad_norms);
      const names = modules.flatMap((module) =>
        ['A', 'B'].map((matrix) => `base_model.model.model.${module}.lora_${matrix}.weight`),
      );
      expect(names).toHaveLength(420);
      expect([...tensors.keys()].sort()).toEqual(names.sort());

      const python = process.env.MARBLE_PYTHON;
      if (python === undefined) {
        console.log('skipped: set MARBLE_PYTHON to a Python with PEFT, which then reads the adapter');
        return;
      }
      await writeFiles(inFolder('adapter'), Object.entries(adapter));
      expect(runPython(peftReads, project.folder, model, python)).toBe(true);
    });
  },
);
