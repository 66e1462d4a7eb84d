/** `marble-rl evaluate`: an adapter that another program trained, and the checkpoint of a run. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskedRun } from '../../src/command/asked-run';
import { mayUseFma } from '../../src/command/machine';
import { evaluateRun } from '../../src/command/subcommands/evaluate-command';
import { openEngine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { savedWeights } from '../../src/model/files/export';
import { measuredAccuracy } from '../../src/reward/accuracy';
import { newTrainerState } from '../../src/rl/trainer-state';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import { folderForEach, writeFiles } from '../fixtures/folder';
import { adapter } from '../export/adapter';
import { embeddedFiles } from '../export/model-folder';
import { errorOf, refusalOf } from '../model/refusal';
import { run } from '../share/run-content';
import { terminalTo } from './terminal';

const { evaluation, ...rest } = presets['ladder-25k'];
const settings: RunConfig = {
  ...rest,
  evaluation: { ...evaluation, items: 60, finalItems: 60, hardItems: 0, taskItems: 0 },
};
const asked: AskedRun = { config: settings, sweep: {}, page: null, kept: null, ignored: [] };
const terminal = terminalTo();
const modules = { 'self_attn.q_proj': [32, 32], 'mlp.down_proj': [32, 80] } as const;

const folderNow = folderForEach('evaluate');

/** A folder as TRL leaves it. */
async function trained(traits: Parameters<typeof adapter>[0]): Promise<string> {
  const path = join(folderNow(), 'trained');
  await writeFiles(path, [
    ...Object.entries(adapter(traits, modules)),
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

describe('an adapter that another program trained', () => {
  const starting = { mode: 'lora' as const, rank: 2, alpha: 4, adapter: 'files:mine' };
  // The figures are those of a run whose checkpoint has these weights.
  it.each([
    [{ rank: 4, alpha: 6, useRslora: true, spread: 0.1 }, starting, 35, 1375],
    [{ rank: 4, alpha: 6, useRslora: false, spread: 0.15 }, settings.training, 32, 1317],
  ])('replaces that of the run, with its own rank and scale: %o', async (traits, training, right, length) => {
    const places = { adapter: await trained(traits) };
    const run = { ...asked, config: { ...settings, training } };
    const { config, report, verdict } = await evaluateRun({ asked: run, backend: 'wasm', places, terminal });
    const { rank, alpha, useRslora } = traits;
    const scale = alpha / (useRslora ? Math.sqrt(rank) : rank);
    expect(config.training).toEqual({ mode: 'lora', rank, alpha: scale * rank });
    expect(report.overall.count).toBe(60);
    expect(Math.round(60 * measuredAccuracy(report.overall)!)).toBe(right);
    expect(Math.round(60 * report.meanLength)).toBe(length);
    expect(verdict).toBeNull();
  });

  it('is refused for another model than its base, unless the folder of a model is named', async () => {
    const model = {
      kind: 'hub' as const,
      repository: 'Qwen/Qwen2.5-0.5B-Instruct',
      revision: 'a'.repeat(40),
    };
    const ofHub = { ...asked, config: { ...settings, model } };
    const traits = { rank: 4, alpha: 6, useRslora: true, spread: 0.1 };
    const evaluateOn = async (baseModel: string, named: string | undefined) => {
      const places = { adapter: await trained({ ...traits, baseModel }), model: named };
      return refusalOf(() => evaluateRun({ asked: ofHub, backend: 'wasm', places, terminal }));
    };
    expect(await evaluateOn('Qwen/Qwen2.5-0.5B', undefined)).toBe('command/other-base');
    // These come as far as the download, which nobody has agreed to.
    expect(await evaluateOn('qwen/qwen2.5-0.5b-instruct', undefined)).toBe('command/not-agreed');
    expect(await evaluateOn('/home/me/base', undefined)).toBe('command/not-agreed');
    expect(await evaluateOn('Qwen/Qwen2.5-0.5B', folderNow())).not.toBe('command/other-base');
  });
});

describe('a run’s file', () => {
  const training = { mode: 'lora' as const, rank: 4, alpha: 16 };
  const config: RunConfig = {
    ...settings,
    training,
    evaluation: { ...settings.evaluation, items: 12, finalItems: 12 },
  };

  /** A run whose checkpoint has an adapter that spoils every answer. */
  async function spoiled(): Promise<AskedRun> {
    const engine = await openEngine({ backend: 'wasm' });
    const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') }, { lora: training });
    const state = await policy.state();
    policy.dispose();
    engine.dispose();
    state.parameters = state.parameters.map((_, place) => 4 * Math.sin(place));
    const trainer = { ...newTrainerState(config), evaluatedStep: config.steps };
    const checkpoint = { version: 1 as const, config, step: config.steps, policy: state, trainer };
    const record = { ...run.history.record, config, machine: {} };
    const kept = { history: { ...run.history, record, evals: [] }, rollouts: [], checkpoint };
    return { ...asked, config, kept };
  }

  it('is judged against its start, and by the prompt of a baseline without a verdict', async () => {
    const kept = await spoiled();
    const { report, verdict } = await evaluateRun({ asked: kept, backend: 'wasm', places: {}, terminal });
    expect(report.step).toBe(config.steps);
    expect(verdict?.belief.before).toBeGreaterThan(verdict!.belief.now);
    const plain = await evaluateRun({ asked: kept, backend: 'wasm', prompt: 'plain', places: {}, terminal });
    expect([plain.prompt, plain.verdict, plain.report.emptyThinkFraction]).toEqual(['plain', null, 1]);
  });

  it('is refused with a weight that is not a number', async () => {
    const kept = await spoiled();
    const { policy } = kept.kept!.checkpoint!;
    // In a single factor A, whose product no answer needs to show.
    policy.parameters[0] = NaN;
    const error = await errorOf(() => evaluateRun({ asked: kept, backend: 'wasm', places: {}, terminal }));
    expect(error).toMatchObject({
      code: 'model/weights-not-finite',
      message: expect.stringContaining('lora_A') as string,
    });
    expect(() => savedWeights(policy)).toThrow('lora_A');
  });
});
