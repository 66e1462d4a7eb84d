import { readFileSync } from 'node:fs';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { exportRun, zipExport } from '../../../src/export/cluster/export-run';
import type { Mapped } from '../../../src/export/cluster/mapping';
import { trlSettings } from '../../../src/export/cluster/trl-settings';
import { unzipFiles } from '../../../src/model/files/model-zip';
import { openItems } from '../../../src/rl/data';
import { algorithms, type AlgorithmConfig } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { adapterPlaceOf } from '../../../src/run/config/saved-adapter';
import { warmStepsOf } from '../../../src/run/config/warm-start';
import { presets } from '../../../src/run/config/presets';
import { decodeLink } from '../../../src/share/settings-link';
import { generateDataset, generatorNames } from '../../../src/tom/worlds/generate';
import { compactPrompt } from '../../../src/tom/text/prompts';
import { rewardItem } from '../../../src/export/cluster/reward-program';
import { sampled } from '../../fixtures/sample';
import { chatTokenizerFiles, embeddedFiles } from '../model-folder';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/goldens/${name}`, import.meta.url), 'utf8'));
const trlFields = fixture('trl-fields.json') as Record<'GRPOConfig' | 'RLOOConfig', string[]>;

/** Presets that TRL can train. It has no warm start. */
const trained = Object.values(presets).filter(
  (preset) => preset.method === 'rl' && warmStepsOf(preset) === 0,
);
const base = presets['ladder-25k'];
/** Some of the presets, and all in `npm run test:slow`. The tests of settings map all. */
const takenBy = <T>(all: readonly T[]): readonly T[] =>
  sampled(
    all.filter((_, at) => at % 4 === 2),
    [...all],
  );

function withAlgorithm(changes: Partial<AlgorithmConfig>): RunConfig {
  return { ...base, algorithm: { ...base.algorithm, ...changes } };
}

/** Shortens a run and its evaluation for speed. */
function short(config: RunConfig): RunConfig {
  const { evaluation } = config;
  return {
    ...config,
    steps: 3,
    rollout: { ...config.rollout, promptsPerStep: Math.min(8, config.rollout.promptsPerStep) },
    evaluation: { ...evaluation, items: 6, finalItems: 6, hardItems: 0, validationItems: 0, taskItems: 0 },
  };
}

function modelFilesOf({ model }: RunConfig): Record<string, Blob> {
  if (model.kind === 'embedded') return embeddedFiles(model.name);
  const isGguf = model.kind === 'hub' && model.repository.endsWith('.gguf');
  const weights = { 'config.json': new Blob(['{}']), 'model.safetensors': new Blob(['weights']) };
  return { ...chatTokenizerFiles(), ...(isGguf && weights) };
}

async function exported(config: RunConfig) {
  const adapterFiles = { 'adapter_config.json': new Blob(), 'adapter_model.safetensors': new Blob() };
  const isSaved = adapterPlaceOf(config) !== null;
  const run = await exportRun(short(config), {
    modelFiles: modelFilesOf(config),
    ...(isSaved && { adapterFiles }),
  });
  const textOf = (name: string): string => new TextDecoder().decode(run.files.get(name));
  return { ...run, textOf };
}

interface ReadRow {
  prompt: string;
  item: string;
}

async function rowsIn(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<ReadRow[]> {
  return (await parquetReadObjects({ file: bytes!.buffer })) as ReadRow[];
}

describe('the settings of an export', () => {
  it('use only names that TRL has, for every preset and algorithm', () => {
    const each = [
      ...trained,
      ...Object.values(algorithms).map((algorithm) => ({ ...base, algorithm })),
      { ...base, training: { mode: 'lora', rank: 8, alpha: 16, adapter: 'files:start' } } as RunConfig,
    ];
    let settings = 0;
    for (const config of each) {
      let mapped: Mapped;
      try {
        mapped = trlSettings(config);
      } catch (error) {
        expect(error).toMatchObject({ code: 'export/no-counterpart' });
        continue;
      }
      const isKnown = (name: string): boolean => trlFields[`${mapped.trainer}Config`].includes(name);
      expect([...mapped.settings.keys()].filter((name) => !isKnown(name))).toEqual([]);
      settings += mapped.settings.size;
    }
    expect(settings).toBeGreaterThan(each.length * 20);
  });

  it('exist for every preset that trains with rewards', () => {
    for (const config of trained) expect(trlSettings(config).settings.size).toBeGreaterThan(20);
  });

  it('count optimiser steps for TRL, and split the batch as the run does', () => {
    const config: RunConfig = { ...base, algorithm: algorithms.grpo, optimizer: { ...base.optimizer, passes: 2, miniBatches: 2, microBatch: 16 } }; // prettier-ignore
    const { settings } = trlSettings(config);
    expect(settings.get('max_steps')).toBe(config.steps * 4);
    expect(settings.get('per_device_train_batch_size')).toBe(16);
    expect(settings.get('gradient_accumulation_steps')).toBe(4);
    expect(settings.get('steps_per_generation')).toBe(8);
    expect(settings.get('num_iterations')).toBe(2);
  });

  it('name the lost settings', () => {
    const lostIn = (config: RunConfig): string[] => trlSettings(config).lost.map(({ what }) => what);
    expect(lostIn(base)).toContain('algorithm.name');
    expect(lostIn({ ...base, algorithm: algorithms.dapo })).toContain('algorithm.resampleRounds');
    expect(lostIn({ ...base, evaluation: { ...base.evaluation, patience: 3 } })).toContain(
      'evaluation.patience',
    );
  });

  it.each([
    [{ gamma: 0.99 }, 'gamma'],
    [{ ...algorithms.grpo, kl: { ...algorithms.grpo.kl, place: 'reward' } }, 'KL in the reward'],
  ] as const)('are rejected with %o, which would change the objective', (changes, named) => {
    const map = (): Mapped => trlSettings(withAlgorithm(changes));
    expect(map).toThrow(expect.objectContaining({ code: 'export/no-counterpart' }));
    expect(map).toThrow(named);
  });
});

describe('an export', () => {
  it('contains the prompts in training order, and the link', async () => {
    const { files, textOf } = await exported(base);
    const rows = await rowsIn(files.get('train.parquet'));
    const items = openItems(short(base)).training(0, 24);
    expect(rows).toEqual(
      items.map((item) => ({ prompt: compactPrompt(item), item: JSON.stringify(rewardItem(item)) })),
    );
    expect(await rowsIn(files.get('val.parquet'))).toHaveLength(6);
    expect((await decodeLink(textOf('link.txt').trim())).config).toEqual(short(base));
  });

  it('works for all presets and generators', async () => {
    for (const config of takenBy(trained)) {
      const { textOf, lost } = await exported(config);
      for (const { what } of lost) expect(textOf('lost-fields.md')).toContain(what);
      const card = textOf('README.md');
      expect(card).toMatch(
        /^---\n(?:license: apache-2\.0|base_model: \S+)\nlibrary_name: (?:peft|transformers)\n/,
      );
      expect(card).toContain('What is lost');
    }
    for (const { name, orders } of takenBy(generatorNames())) {
      const data = { source: name, orders: orders.slice(0, 2), dropShortcutRight: 0, reentry: false };
      const config: RunConfig = { ...presets['tom-rl'], data };
      const { files } = await exported(config);
      expect(await rowsIn(files.get('train.parquet'))).toHaveLength(24);
    }
  });

  it('renders chat prompts including the final <think>', async () => {
    const { files } = await exported(presets['tom-rl']);
    const [{ prompt }] = await rowsIn(files.get('train.parquet'));
    expect(prompt).toMatch(/^<\|im_start\|>system\n/);
    expect(prompt).toMatch(/<\|im_start\|>assistant\n<think>\n$/);
  });

  it('has the prompts that dynamic sampling may draw in all of its rounds', async () => {
    const { files } = await exported({ ...base, algorithm: algorithms.dapo });
    const perStep = Math.min(8, base.rollout.promptsPerStep);
    const rounds = 1 + algorithms.dapo.resampleRounds;
    expect(await rowsIn(files.get('train.parquet'))).toHaveLength(3 * perStep * rounds);
  });

  it('gives equal bytes each time', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(async () =>
        zipExport(await exportRun(short(base), { modelFiles: embeddedFiles('ladder-25k') })),
      ),
    );
    expect(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await other.arrayBuffer()))).toBe(true);
    expect(Object.keys(await unzipFiles(one))).toContain('run-trl.py');
  });

  it('supports an imported data set', async () => {
    const items = generateDataset({ ...base.data, count: 80, seed: 4 }).map((item) => ({
      ...item,
      world: undefined,
    }));
    const config = short({ ...base, data: { ...base.data, source: 'imported:mine' } });
    const options = { modelFiles: embeddedFiles('ladder-25k') } as const;
    const { files } = await exportRun(config, { ...options, imported: { training: items } });
    expect(await rowsIn(files.get('train.parquet'))).toHaveLength(24);
    await expect(exportRun(config, options)).rejects.toMatchObject({ code: 'export/missing-files' });
  });

  it.each<[string, Partial<RunConfig>, Record<string, Blob>, object]>([
    ['imitation', presets['swap-sft-answers'], modelFilesOf(base), { code: 'export/no-counterpart' }],
    [
      'a warm start',
      { warmStart: { updates: 1 } },
      modelFilesOf(base),
      { code: 'export/no-counterpart', message: expect.stringContaining('warm start') as string },
    ],
    ['too many rows', { steps: 100_000 }, modelFilesOf(base), { code: 'export/too-many-rows' }],
    [
      'a model without its files',
      { model: { kind: 'url', url: 'https://models.example/mine' } },
      {},
      { code: 'export/missing-files', message: expect.stringContaining('config.json') as string },
    ],
  ])('rejects %s', async (_, changes, modelFiles, refusal) => {
    await expect(exportRun({ ...base, ...changes }, { modelFiles })).rejects.toMatchObject(refusal);
  });
});
