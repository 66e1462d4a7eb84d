/** Opens PEFT adapters and small models trained by other programs as runs. */
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/export/open/open-run';
import { sortFiles } from '../../../src/export/open/trained-files';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { zipFiles } from '../../../src/model/files/model-zip';
import { loadPolicy } from '../../../src/model/load-policy';
import { savedWeights } from '../../../src/model/files/export';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { packRun } from '../../../src/share/run-file';
import { encodeLink } from '../../../src/share/settings-link';
import { run } from '../../share/run-content';
import { errorOf, refusalOf } from '../../model/refusal';
import { adapter } from '../adapter';
import { embeddedFiles } from '../model-folder';

const base = presets['ladder-25k'];
const config: RunConfig = {
  ...base,
  steps: 2,
  algorithm: { ...base.algorithm, resampleRounds: 0 },
  rollout: { ...base.rollout, promptsPerStep: 3, samplesPerPrompt: 2 },
  evaluation: { ...base.evaluation, items: 150, finalItems: 150, validationItems: 0 },
};
const startFiles = embeddedFiles('ladder-25k');
const text = (value: string): Blob => new Blob([value]);

openEngineForAll('wasm');

/** An export's folder, in which nothing was trained yet. */
const exportedFolder = async (run = config): Promise<Record<string, Blob>> => ({
  'link.txt': text(`${await encodeLink(run)}\n`),
  'model/config.json': startFiles['config.json'],
  'model/model.safetensors': startFiles['model.safetensors'],
  'trained/trainer_state.json': text('{"log_history":[{"step":1,"reward":0.5}]}'),
  'trained/rollouts/1-0.jsonl': text('{"step":1}'),
});

type Given = Parameters<typeof openRun>[0];
async function refusedUnder(settings: RunConfig | undefined, files: Given, ...named: string[]) {
  const { message, nextStep } = (await errorOf(() => openRun(files, { settings })))!;
  for (const words of named) expect(`${message} ${nextStep}`).toContain(words);
}
const refused = (files: Given, ...named: string[]) => refusedUnder(config, files, ...named);

describe('files in which nothing was trained', () => {
  it('are refused by their names, logs and completions among them', async () => {
    const whole = await exportedFolder();
    await refused(whole, 'link.txt', 'marble.zip', 'TensorBoard');
    await refused(new File(['{"log_history":[]}'], 'trainer_state.json'), 'trainer_state.json', 'adapter');
    await refused({ 'a.bin': text('x'), 'b.bin': text('y') }, 'a.bin', 'adapter_config.json');
    await refused({}, 'There is no file', 'adapter_config.json');
    for (const files of [whole, {}]) expect(await refusalOf(() => openRun(files))).toBe('export/not-a-run');
  });

  it('are refused where they were cut off', async () => {
    const archive = await zipFiles(await exportedFolder());
    const half = new File([archive.slice(0, archive.size >> 1)], 'marble.zip');
    await refused(half, 'marble.zip: ', 'zip archive');
    await refused(new File(['marble-run 1'], 'mine.marble'), 'mine.marble: ', 'Choose');
  });
});

it('the folder of a run is opened by its run file', async () => {
  const folder = { 'run/metrics.csv': text('step'), 'run/run.marble': await packRun(run) };
  expect((await openRun(folder)).history).toEqual(run.history);
  const trained = { ...folder, ...adapter({ rank: 2, alpha: 9, useRslora: false }, some) };
  const modelSource = () => Promise.resolve({ files: startFiles });
  const opened = await openRun(trained, { settings: config, modelSource });
  expect(opened.history.record.machine.program).toBe('PEFT');
});

it('the last checkpoint is opened where nothing was saved after it', () => {
  const paths = [9, 10, 8].map((step) => `trained/checkpoint-${step}/model.safetensors`);
  const files = Object.fromEntries(paths.map((path) => [path, text('')]));
  expect(sortFiles(files).weights?.name).toBe(paths[1]);
});

describe('a small model that was trained in full', () => {
  it('is a run whose weights give the model’s own logits; the start that the export holds is none', async () => {
    const whole = await exportedFolder();
    const policy = await loadPolicy(engine, { files: startFiles });
    const { parameters, layout } = await policy.state();
    const trained = savedWeights({ parameters: parameters.map((value, at) => value + 0.05 * Math.sin(at)), layout })['model.safetensors']; // prettier-ignore
    const files = { ...whole, 'trained/model.safetensors': trained, 'trained/checkpoint-1/model.safetensors': startFiles['model.safetensors'] }; // prettier-ignore
    const { history, checkpoint } = await openRun(new File([await zipFiles(files)], 'marble.zip'));
    expect(history.record).toMatchObject({ config, checkpointStep: 2, step: 2 });
    expect(history.record.machine).toMatchObject({ program: 'transformers', steps: 'unknown' });
    const ids = [[3, 7, 11, 2, 5, 19]];
    const [before] = await policy.logits(ids);
    policy.restore(checkpoint!.policy);
    const itself = await loadPolicy(engine, { files: { ...startFiles, 'model.safetensors': trained } });
    const [[ours], [theirs]] = [await policy.logits(ids), await itself.logits(ids)];
    expect(ours).toEqual(theirs);
    expect(ours).not.toEqual(before);
    policy.dispose();
    itself.dispose();
  });

  it('of another model is refused by file, tensor and what was expected', async () => {
    const other = embeddedFiles('hitom-mini')['model.safetensors'];
    await refused({ ...(await exportedFolder()), 'trained/model.safetensors': other }, 'trained/model.safetensors: Tensor model.', 'has shape [', 'config.json requires ['); // prettier-ignore
  });
});

/** Of some projections of ladder-25k. */
const some = { 'self_attn.q_proj': [32, 32], 'mlp.down_proj': [32, 80] } as const;

const hub: RunConfig = {
  ...config,
  model: { kind: 'hub', repository: 'owner/base', revision: 'a'.repeat(40) },
};

describe('an adapter that PEFT has trained', () => {
  it.each([
    { rank: 4, alpha: 6, useRslora: true },
    { rank: 2, alpha: 9, useRslora: false },
  ])('is a run whose weights give the adapter’s own logits (%o)', async (traits) => {
    const files = adapter(traits, some);
    const withBase = { ...files, 'config.json': startFiles['config.json'] };
    const { history, checkpoint } = await openRun(withBase, { settings: config });
    expect(history.record).toMatchObject({ status: 'done', checkpointStep: 2 });
    const saved = { files: savedWeights(checkpoint!.policy) };
    const policy = await loadPolicy(engine, { files: startFiles }, { adapter: saved });
    const itself = await loadPolicy(engine, { files: startFiles }, { adapter: { files } });
    const ids = [[3, 7, 11, 2, 5, 19]];
    const [[ours], [theirs], [without]] = [await policy.logits(ids), await itself.logits(ids), await itself.logits(ids, { adapter: 'off' })]; // prettier-ignore
    const apart = (one: Float32Array, other: Float32Array): number => Math.max(...one.map((value, at) => Math.abs(value - other[at]))); // prettier-ignore
    expect(apart(ours, theirs)).toBeLessThan(1e-4);
    expect(apart(ours, without)).toBeGreaterThan(0.1);
    policy.dispose();
    itself.dispose();
  });

  it('in the folder of an exported run is that run’s', async () => {
    const run: RunConfig = { ...config, training: { mode: 'lora', rank: 4, alpha: 8 } };
    const folder = { ...(await exportedFolder(run)), ...prefixed('trained/', adapter({ rank: 4, alpha: 8, baseModel: '/somewhere/model' }, some)), ...prefixed('adapter/', adapter({ rank: 7, alpha: 1 }, some)) }; // prettier-ignore
    const { history, checkpoint } = await openRun(folder);
    expect(history.record.config).toEqual(run);
    expect(checkpoint?.step).toBe(2);
    await refused({ ...folder, ...prefixed('trained/', adapter({ rank: 3, alpha: 8 }, some)) }, 'trained', 'r is 3', 'expected: 4'); // prettier-ignore
    await refused({ ...folder, ...prefixed('trained/', adapter({ rank: 4, alpha: 16 }, some)) }, 'scale is 4', 'expected: 2'); // prettier-ignore
    const whole = { ...folder, 'link.txt': text(await encodeLink(config)) };
    await refused(whole, 'peft_type', 'the exported run trains all weights');
  });

  it('is refused with a long link.txt after reading only its first part', async () => {
    const read: number[] = [];
    class Long extends Blob {
      override get size(): number {
        return 2 ** 30;
      }
      override text(): Promise<string> {
        throw new Error('read whole');
      }
      override slice(start = 0, end = 2 ** 30): Blob {
        read.push(end - start);
        return new Blob(['a'.repeat(end - start)]);
      }
    }
    const folder = { ...adapter({ rank: 4, alpha: 8 }, some), 'link.txt': new Long() };
    expect(await refusalOf(() => openRun(folder))).toBe('share/bad-link');
    expect(read).toEqual([2 ** 16]);
  });

  it('takes the base’s config.json from where the model is, where it is not among the files', async () => {
    const asked: RunConfig[] = [];
    const modelSource = (run: RunConfig) => {
      asked.push(run);
      return Promise.resolve({ files: startFiles });
    };
    const files = adapter({ rank: 4, alpha: 8, baseModel: 'Owner/base' }, some);
    const { history, checkpoint } = await openRun(files, { settings: hub, modelSource });
    expect(asked).toEqual([hub]);
    expect(history.record.machine).toMatchObject({ program: 'PEFT', steps: 'unknown' });
    expect(checkpoint?.policy.layout?.adapter).toMatchObject({ baseModel: 'Owner/base' });
    const inFolder = adapter({ rank: 4, alpha: 8, baseModel: '/somewhere/base' }, some);
    expect(await refusalOf(() => openRun(inFolder, { settings: hub, modelSource }))).toBe('accepted');
  });

  it('of another model is refused by file, field and what was expected', async () => {
    const about = { 'config.json': startFiles['config.json'] };
    const own = adapter({ rank: 4, alpha: 8 }, some);
    const ofOther = adapter({ rank: 4, alpha: 8, baseModel: 'other/model' }, some);
    const other = ['adapter_config.json', 'base_model_name_or_path is "other/model"', '"owner/base"'];
    await refusedUnder(hub, { ...ofOther, ...about }, ...other);
    const wider = adapter({ rank: 4, alpha: 8 }, { 'self_attn.q_proj': [64, 64] });
    const shapes = ['adapter_model.safetensors', 'layers.0.self_attn.q_proj.lora_A.weight', '[4, 64]', '[4, 32]']; // prettier-ignore
    await refused({ ...wider, ...about }, ...shapes);
    await refused(own, 'config.json of the base');
    await refusedUnder(undefined, { ...own, ...about }, 'link.txt');
    const { 'adapter_config.json': alone } = own;
    await refused({ 'adapter_config.json': alone }, 'adapter_model.safetensors');
    expect(await refusalOf(() => openRun({ 'adapter_config.json': alone }))).toBe('export/bad-file');
  });
});

function prefixed(folder: string, files: Record<string, Blob>): Record<string, Blob> {
  return Object.fromEntries(Object.entries(files).map(([name, blob]) => [folder + name, blob]));
}
