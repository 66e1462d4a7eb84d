import { readFileSync } from 'node:fs';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { exportRun, zipExport } from '../../../src/export/cluster/export-run';
import type { Engine, Mapped } from '../../../src/export/cluster/mapping';
import { trlSettings } from '../../../src/export/cluster/trl-settings';
import { addedVerlKeys, verlSettings } from '../../../src/export/cluster/verl-settings';
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
import { sampled } from '../../fixtures/sample';
import { chatTokenizerFiles, embeddedFiles } from '../model-folder';

interface Names {
  keys: string[];
}
const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/goldens/${name}`, import.meta.url), 'utf8'));
const verlKeys = new Set((fixture('verl-keys.json') as Names).keys);
const trlFields = fixture('trl-fields.json') as Record<'GRPOConfig' | 'RLOOConfig', string[]>;

const engines: Engine[] = ['verl', 'trl'];
/** Presets that every engine can train. None supports a warm start. */
const trained = Object.values(presets).filter(
  (preset) => preset.method === 'rl' && warmStepsOf(preset) === 0,
);
const hasTwin = (engine: Engine, { algorithm }: RunConfig): boolean =>
  engine === 'trl' || algorithm.lengthPenalty === 0;
const base = presets['ladder-25k'];
/** Each engine exports some of the presets, and all in `npm run test:slow`. The tests above map all settings to both engines. */
const takenBy = <T>(engine: Engine, all: readonly T[]): readonly T[] =>
  sampled(
    all.filter((_, at) => at % 4 === 2 * engines.indexOf(engine)),
    [...all],
  );

function mappedTo(engine: Engine, config: RunConfig): Mapped {
  if (engine === 'trl') return trlSettings(config);
  return verlSettings(config, 64);
}

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

async function exported(config: RunConfig, to: Engine) {
  const adapterFiles = { 'adapter_config.json': new Blob(), 'adapter_model.safetensors': new Blob() };
  const isSaved = adapterPlaceOf(config) !== null;
  const run = await exportRun(short(config), {
    ...{ to, modelFiles: modelFilesOf(config) },
    ...(isSaved && { adapterFiles }),
  });
  const textOf = (name: string): string => new TextDecoder().decode(run.files.get(name));
  return { ...run, textOf };
}

interface ReadRow {
  data_source: string;
  prompt: { role: string; content: string }[];
  reward_model: { style: string; ground_truth: string };
  extra_info: { split: string; index: bigint; item: string };
}

async function rowsIn(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<ReadRow[]> {
  return (await parquetReadObjects({ file: bytes!.buffer })) as ReadRow[];
}

describe('the settings of an export', () => {
  it.each(engines)(
    'use only names that %s has, and exist for every preset that trains with rewards',
    (engine) => {
      const each = [
        ...trained,
        ...Object.values(algorithms).map((algorithm) => ({ ...base, algorithm })),
        { ...base, training: { mode: 'lora', rank: 8, alpha: 16, adapter: 'files:start' } } as RunConfig,
      ];
      let settings = 0;
      for (const config of each) {
        let mapped: Mapped;
        try {
          mapped = mappedTo(engine, config);
        } catch (error) {
          expect(error).toMatchObject({ code: 'export/no-counterpart' });
          expect(trained.includes(config) && hasTwin(engine, config)).toBe(false);
          continue;
        }
        const isKnown = (name: string): boolean =>
        engine === 'verl'
          ? verlKeys.has(name) || (addedVerlKeys as readonly string[]).includes(name)
          : trlFields[mapped.trainer === 'RLOO' ? 'RLOOConfig' : 'GRPOConfig'].includes(name); // prettier-ignore
        expect([...mapped.settings.keys()].filter((name) => !isKnown(name))).toEqual([]);
        settings += mapped.settings.size;
      }
      expect(settings).toBeGreaterThan(each.length * 20);
    },
  );

  it('contain the numbers of the run for verl', () => {
    const { settings } = mappedTo('verl', presets['tom-rl']);
    expect(settings.get('algorithm.adv_estimator')).toBe('grpo');
    expect(settings.get('actor_rollout_ref.actor.loss_agg_mode')).toBe('token-mean');
    expect(settings.get('actor_rollout_ref.actor.kl_loss_type')).toBe('low_var_kl');
    expect(settings.get('actor_rollout_ref.actor.entropy_coeff')).toBe(0.001);
    expect(settings.get('actor_rollout_ref.rollout.n')).toBe(16);
    expect(settings.get('data.train_batch_size')).toBe(8);
    expect(settings.get('actor_rollout_ref.actor.clip_ratio_c')).toBeGreaterThan(100);
    const drGrpo = mappedTo('verl', { ...base, algorithm: algorithms['dr-grpo'] }).settings;
    expect(drGrpo.get('algorithm.norm_adv_by_std_in_grpo')).toBe(false);
    expect(drGrpo.get('actor_rollout_ref.actor.loss_scale_factor')).toBe(base.rollout.maxNewTokens);
  });

  it('count optimiser steps for TRL, and split the batch as the run does', () => {
    const config: RunConfig = { ...base, algorithm: algorithms.grpo, optimizer: { ...base.optimizer, passes: 2, miniBatches: 2, microBatch: 16 } }; // prettier-ignore
    const { settings } = mappedTo('trl', config);
    expect(settings.get('max_steps')).toBe(config.steps * 4);
    expect(settings.get('per_device_train_batch_size')).toBe(16);
    expect(settings.get('gradient_accumulation_steps')).toBe(4);
    expect(settings.get('steps_per_generation')).toBe(8);
    expect(settings.get('num_iterations')).toBe(2);
  });

  it.each([
    ['trl', 'warmup_steps', 40],
    ['verl', 'actor_rollout_ref.actor.optim.lr_warmup_steps', 10],
  ] as const)('give %s the warm-up in the unit of its schedule', (engine, name, steps) => {
    const optimizer = { ...base.optimizer, passes: 2, miniBatches: 2, warmupSteps: 10 };
    const { settings, lost } = mappedTo(engine, { ...base, optimizer });
    expect(settings.get(name)).toBe(steps);
    const expected = ['optimizer.warmupSteps', 'optimizer.finalFraction'];
    expect(lost.map(({ what }) => what)).toEqual(expect.arrayContaining(expected));
  });

  it('name the lost settings', () => {
    const lostIn = (engine: Engine, config: RunConfig): string[] =>
      mappedTo(engine, config).lost.map(({ what }) => what);
    expect(lostIn('verl', base)).toContain('optimizer.decay');
    expect(lostIn('trl', base)).toContain('algorithm.name');
    for (const name of ['grpo', 'rloo'] as const) {
      const parts = {
        ...base,
        algorithm: algorithms[name],
        optimizer: { ...base.optimizer, miniBatches: 2 },
      };
      expect(lostIn('trl', parts), name).toContain('optimizer.miniBatches');
    }
    const dapo = { ...base, algorithm: algorithms.dapo };
    expect(lostIn('trl', dapo)).toContain('algorithm.resampleRounds');
    expect(lostIn('verl', { ...base, evaluation: { ...base.evaluation, patience: 3 } })).toContain(
      'evaluation.patience',
    );
  });

  it.each([
    ['verl', { lengthPenalty: 0.5 }, 'lengthPenalty'],
    ['verl', { maskTruncated: true }, 'maskTruncated'],
    ['verl', { name: 'grpo', scale: 'batch' }, 'batch'],
    ['trl', { gamma: 0.99 }, 'gamma'],
    ['trl', { ...algorithms.grpo, kl: { ...algorithms.grpo.kl, place: 'reward' } }, 'KL in the reward'],
  ] as const)('are rejected for %s with %o, which would change the objective', (engine, changes, named) => {
    const map = (): Mapped => mappedTo(engine, withAlgorithm(changes));
    expect(map).toThrow(expect.objectContaining({ code: 'export/no-counterpart' }));
    expect(map).toThrow(named);
  });
});

describe('an export', () => {
  it('contains the prompts in training order, and the link', async () => {
    const { files, textOf } = await exported(base, 'trl');
    const rows = await rowsIn(files.get('train.parquet'));
    const items = openItems(short(base)).training(0, 24);
    expect(rows.map(({ prompt }) => prompt)).toEqual(
      items.map((item) => [{ role: 'user', content: compactPrompt(item) }]),
    );
    expect(rows.map(({ reward_model }) => reward_model.ground_truth)).toEqual(
      items.map(({ answer }) => answer),
    );
    expect(rows.map(({ extra_info }) => Number(extra_info.index))).toEqual(items.map((_, index) => index));
    expect(await rowsIn(files.get('val.parquet'))).toHaveLength(6);
    expect((await decodeLink(textOf('link.txt').trim())).config).toEqual(short(base));
  });

  it.each(engines)('works for all presets and generators for %s', async (engine) => {
    for (const config of takenBy(engine, trained).filter((one) => hasTwin(engine, one))) {
      const { textOf, lost } = await exported(config, engine);
      for (const { what } of lost) expect(textOf('lost-fields.md')).toContain(what);
      const card = textOf('README.md');
      expect(card).toMatch(
        /^---\n(?:license: apache-2\.0|base_model: \S+)\nlibrary_name: (?:peft|transformers)\n/,
      );
      expect(card).toContain('What is lost');
    }
    for (const { name, orders } of takenBy(engine, generatorNames())) {
      const data = { source: name, orders: orders.slice(0, 2), dropShortcutRight: 0, reentry: false };
      const config: RunConfig = { ...presets['tom-rl'], data };
      const { files } = await exported(config, engine);
      expect(await rowsIn(files.get('train.parquet'))).toHaveLength(24);
    }
  });

  it('renders chat prompts including the final <think>', async () => {
    const { files } = await exported(presets['tom-rl'], 'verl');
    const [{ prompt }] = await rowsIn(files.get('train.parquet'));
    expect(prompt).toHaveLength(1);
    expect(prompt[0].content).toMatch(/^<\|im_start\|>system\n/);
    expect(prompt[0].content).toMatch(/<\|im_start\|>assistant\n<think>\n$/);
  });

  it('has the prompts that dynamic sampling may draw in all of its rounds', async () => {
    const { files } = await exported({ ...base, algorithm: algorithms.dapo }, 'verl');
    const perStep = Math.min(8, base.rollout.promptsPerStep);
    const rounds = 1 + algorithms.dapo.resampleRounds;
    expect(await rowsIn(files.get('train.parquet'))).toHaveLength(3 * perStep * rounds);
  });

  it('gives equal bytes each time', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(async () =>
        zipExport(await exportRun(short(base), { to: 'trl', modelFiles: embeddedFiles('ladder-25k') })),
      ),
    );
    expect(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await other.arrayBuffer()))).toBe(true);
    expect(Object.keys(await unzipFiles(one))).toContain('run-trl.py');
  });

  it('supports an imported data set, unless its terms forbid training', async () => {
    const items = generateDataset({ ...base.data, count: 80, seed: 4 }).map((item) => ({
      ...item,
      world: undefined,
    }));
    const config = short({ ...base, data: { ...base.data, source: 'imported:mine' } });
    const options = { to: 'trl', modelFiles: embeddedFiles('ladder-25k') } as const;
    const { files } = await exportRun(config, { ...options, imported: { training: items } });
    expect(await rowsIn(files.get('train.parquet'))).toHaveLength(24);
    await expect(exportRun(config, options)).rejects.toMatchObject({ code: 'export/missing-files' });
    const forbidden = items.map((item) => ({ ...item, training: 'forbidden' as const }));
    await expect(exportRun(config, { ...options, imported: { training: forbidden } })).rejects.toMatchObject({
      code: 'tom/training-forbidden',
    });
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
    await expect(exportRun({ ...base, ...changes }, { to: 'verl', modelFiles })).rejects.toMatchObject(
      refusal,
    );
  });
});
