import { readFileSync } from 'node:fs';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { exportRun, zipExport } from '../../../src/export/cluster/export-run';
import type { Engine, Mapped } from '../../../src/export/cluster/mapping';
import { trlSettings } from '../../../src/export/cluster/trl-settings';
import { addedVerlKeys, verlSettings } from '../../../src/export/cluster/verl-settings';
import { unzipFiles } from '../unzip-files';
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
  const inParts = { ...base.optimizer, passes: 2, miniBatches: 2, microBatch: 15, warmupSteps: 10 };
  const actor = 'actor_rollout_ref.actor';

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

  it('have the values of the run in the names and units of verl', () => {
    const valuesOf = (config: RunConfig) => Object.fromEntries(mappedTo('verl', config).settings);
    expect(valuesOf(presets['tom-rl'])).toMatchObject({
      ...{ 'algorithm.adv_estimator': 'grpo', 'algorithm.norm_adv_by_std_in_grpo': true },
      ...{ 'actor_rollout_ref.rollout.n': 16, 'data.train_batch_size': 8, 'data.max_prompt_length': 64 },
      ...{ [`${actor}.loss_agg_mode`]: 'token-mean', [`${actor}.kl_loss_type`]: 'low_var_kl' },
      ...{ [`${actor}.entropy_coeff`]: 0.001, [`${actor}.clip_ratio_c`]: 1e6 },
    });
    expect(valuesOf(presets['tom-rl'])).not.toHaveProperty([`${actor}.loss_scale_factor`]);
    expect(valuesOf({ ...base, algorithm: algorithms['dr-grpo'] })).toMatchObject({
      ...{ 'algorithm.norm_adv_by_std_in_grpo': false, [`${actor}.loss_scale_factor`]: 48 },
    });
    const controlOf = (target: number): unknown[] => {
      const found = valuesOf(withAlgorithm({ kl: { ...base.algorithm.kl, target } }));
      return ['type', 'kl_coef', 'target_kl', 'horizon'].map((name) => found[`algorithm.kl_ctrl.${name}`]);
    };
    expect(controlOf(0)).toEqual(['fixed', 0.01, undefined, undefined]);
    expect(controlOf(0.1)).toEqual(['adaptive', 0.01, 0.1, 10_000]);
    expect(valuesOf({ ...base, optimizer: inParts })).toMatchObject({
      ...{ [`${actor}.ppo_epochs`]: 2, [`${actor}.ppo_mini_batch_size`]: 8 },
      ...{ [`${actor}.ppo_micro_batch_size_per_gpu`]: 8, [`${actor}.optim.lr_warmup_steps`]: 10 },
    });
  });

  it('count optimiser steps for TRL, and split the batch as the run does', () => {
    const { settings } = mappedTo('trl', { ...base, algorithm: algorithms.grpo, optimizer: inParts });
    expect(Object.fromEntries(settings)).toMatchObject({
      ...{ max_steps: base.steps * 4, save_steps: base.checkpointEvery * 4, warmup_steps: 40 },
      ...{ per_device_train_batch_size: 8, gradient_accumulation_steps: 8 },
      ...{ steps_per_generation: 16, num_iterations: 2 },
    });
    expect(mappedTo('trl', base).settings.get('per_device_train_batch_size')).toBe(128);
  });

  it.each(['grpo', 'rloo'] as const)('have no KL for TRL where the run of %s has none', (name) => {
    const kl = { ...algorithms[name].kl, place: 'none', coefficient: 0.5, estimator: 'k1' } as const;
    expect(mappedTo('trl', withAlgorithm({ ...algorithms[name], kl })).settings.get('beta')).toBe(0);
  });

  it('name the lost settings and no others', () => {
    const lostOf = (engine: Engine, changes: Partial<RunConfig>): string =>
      mappedTo(engine, { ...base, ...changes })
        .lost.map(({ what }) => what)
        .join('; ');
    const always = 'seed; early warning, alerts, verdict; ';
    const constant = { ...base.optimizer, finalFraction: 1 };
    const simple = { algorithm: algorithms.grpo, optimizer: constant, evaluation: { ...base.evaluation, validationItems: 0 } }; // prettier-ignore
    expect(lostOf('verl', simple)).toBe(`${always}evaluation`);
    expect(lostOf('trl', simple)).toBe(`${always}evaluation; deviation + 1e-6; evaluation.every`);
    const evaluation = { ...base.evaluation, patience: 3, imported: ['mine'] };
    const parts = { optimizer: inParts, evaluation };
    const shared = `${always}evaluation.imported; evaluation.patience; evaluation.validationItems; optimizer.warmupSteps; optimizer.finalFraction; evaluation; `;
    expect(lostOf('verl', parts)).toBe(
      `${shared}algorithm.convention; outcomes clamped to [-10, 10]; optimizer.miniBatches; optimizer.decay`,
    );
    expect(lostOf('trl', parts)).toBe(
      `${shared}algorithm.name; algorithm.aggregation; algorithm.ratio; algorithm.kl.credit; optimizer.miniBatches; evaluation.every`,
    );
    const adapted = { ...simple, training: { mode: 'lora', rank: 4, alpha: 8 } } as const;
    expect(lostOf('verl', adapted)).toBe(`seed; training.mode; early warning, alerts, verdict; evaluation`);
    const dapo = { ...simple, algorithm: algorithms.dapo };
    expect(lostOf('verl', dapo)).toContain('algorithm.resampleRounds');
    expect(lostOf('trl', dapo)).toContain('algorithm.resampleRounds');
  });

  const inReward = { ...algorithms.grpo.kl, place: 'reward' as const };
  it.each<[Engine, string, Partial<RunConfig>]>([
    ['verl', 'lengthPenalty', withAlgorithm({ lengthPenalty: 0.5 })],
    ['verl', 'maskTruncated', withAlgorithm({ maskTruncated: true })],
    ['verl', 'The scale "batch"', withAlgorithm({ name: 'grpo', scale: 'batch' })],
    ['verl', '32 mini-batches of 16 prompts', { optimizer: { ...base.optimizer, miniBatches: 32 } }],
    ['verl', 'Imitation', presets['swap-sft-answers']],
    ['verl', 'warm start', { warmStart: { updates: 1 } }],
    ['trl', 'gamma', withAlgorithm({ gamma: 0.99 })],
    ['trl', 'KL in the reward', withAlgorithm({ ...algorithms.grpo, kl: inReward })],
    ['trl', '128 rollouts in 3 mini-batches', { optimizer: { ...base.optimizer, miniBatches: 3 } }],
    ['trl', 'One sample for each prompt', { rollout: { ...base.rollout, samplesPerPrompt: 1 } }],
    ['trl', '“mine”', { reward: { preset: 'logic-rl', custom: 'mine' } }],
  ])('are rejected for %s where they would change the objective: %s', (engine, named, changes) => {
    const map = (): Mapped => mappedTo(engine, { ...base, ...changes });
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
      const { files, textOf, lost } = await exported(config, engine);
      const card = textOf('README.md');
      for (const { what, instead } of lost) {
        expect(textOf('lost-fields.md')).toContain(`**${what}**: ${instead}`);
        expect(card).toContain(`- ${what}: ${instead}`);
      }
      expect(card).toMatch(
        /^---\n(?:license: apache-2\.0|base_model: \S+)\nlibrary_name: (?:peft|transformers)\n/,
      );
      const run = { verl: ['for verl on Ray', 'bash run-verl.sh'], trl: ['for TRL', 'python run-trl.py'] };
      for (const words of run[engine]) expect(card).toContain(words);
      const listed = [...card.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) => cell.match(/[^`, ]+/g)!);
      const held = new Set([...files.keys()].map((file) => file.replace(/\/.*/, '/')));
      expect(['README.md', ...listed].sort()).toEqual([...held].sort());
    }
    for (const { name, orders } of takenBy(engine, generatorNames())) {
      const data = { source: name, orders: orders.slice(0, 2), dropShortcutRight: 0, reentry: false };
      const config: RunConfig = { ...presets['tom-rl'], data };
      const { files } = await exported(config, engine);
      expect(await rowsIn(files.get('train.parquet'))).toHaveLength(24);
    }
  });

  it('renders chat prompts up to <think>, and has those of all rounds of dynamic sampling', async () => {
    const { files } = await exported({ ...presets['tom-rl'], algorithm: algorithms.dapo }, 'verl');
    const rows = await rowsIn(files.get('train.parquet'));
    const [[{ content }, ...more]] = rows.map(({ prompt }) => prompt);
    expect(more).toEqual([]);
    expect(content).toMatch(/^<\|im_start\|>system\n[^]*<\|im_start\|>assistant\n<think>\n$/);
    expect(rows).toHaveLength(3 * 8 * (1 + algorithms.dapo.resampleRounds));
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

  it('rejects too many rows, and a model without its files', async () => {
    const files = modelFilesOf(base);
    await expect(exportRun({ ...base, steps: 100_000 }, { to: 'verl', modelFiles: files })).rejects.toMatchObject({ code: 'export/too-many-rows' }); // prettier-ignore
    const missing = exportRun(base, { to: 'verl', modelFiles: {} });
    await expect(missing).rejects.toMatchObject({
      code: 'export/missing-files',
      message: 'The export lacks tokenizer.json, config.json, *.safetensors.',
    });
  });
});
