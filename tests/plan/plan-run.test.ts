import { afterEach, describe, expect, it } from 'vitest';
import {
  loadPolicy,
  openEngine,
  planRun,
  presets,
  train,
  type Engine,
  type RunConfig,
} from '../../src/index';
import type { LoraConfig } from '../../src/model/lora';
import type { RunPlan } from '../../src/run/estimate';
import { embeddedConfig, embeddedFiles } from '../export/model-folder';

let engine: Engine | null = null;
afterEach(() => engine?.dispose());

/** A run whose answers are truncated before any of them ends, so that they are as long as planned. */
function cutShort(preset: string): RunConfig {
  const run = presets[preset];
  return {
    ...run,
    steps: 1,
    rollout: { ...run.rollout, promptsPerStep: 4, maxNewTokens: 3 },
    evaluation: { ...run.evaluation, items: 40, finalItems: 40, hardItems: 0 },
  };
}

/** Plans a run of the model that its preset is named after. */
const planOf = (config: RunConfig) => planRun(embeddedConfig(config.preset), config, 'wasm');

/** Takes the run, and compares the most memory that it had with the plan. */
async function expectPeak({ bytes }: RunPlan, model: string, config: RunConfig, lora?: LoraConfig) {
  engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: embeddedFiles(model) }, { lora });
  engine.resetPeak();
  for await (const event of train(engine, policy, config, undefined, { isPlanned: true, anyway: true })) {
    if (event.type === 'failed') throw new Error(event.error.message);
  }
  policy.dispose();
  const { load, evaluate, rollout, reference, update } = bytes;
  const ratio = Math.max(load, evaluate, rollout, reference, update) / engine.memory().peak;
  expect(ratio).toBeGreaterThan(1);
  expect(ratio).toBeLessThan(1.15);
}

describe('the plan of a run on wasm', () => {
  it('counts the additional hard questions of an evaluation', async () => {
    const config = cutShort('ladder-12k');
    const { evaluation } = config;
    const worked = async (hardItems: number) =>
      (await planOf({ ...config, evaluation: { ...evaluation, hardItems } })).work;
    const [without, withThem] = [await worked(0), await worked(100)];
    expect(withThem.look.flops).toBeGreaterThan(1.5 * without.look.flops);
    expect(withThem.ends.flops - without.ends.flops).toBeCloseTo(
      withThem.look.flops - without.look.flops,
      -3,
    );
    expect(withThem.step).toEqual(without.step);
  });

  it.each(['ladder-12k', 'ladder-100k', 'ladder-398k'])('has the peak of %s', async (preset) => {
    const config = cutShort(preset);
    const plan = await planOf(config);
    await expectPeak(plan, preset, config);
    expect(plan.bytes.peak).toBeGreaterThanOrEqual(plan.bytes.update);
  });

  it('has the work of the full step if it plans only some of the completions', async () => {
    const run = cutShort('ladder-12k');
    const evaluation = { ...run.evaluation, items: 4, finalItems: 4 };
    const of = async (promptsPerStep: number) => {
      const rollout = { ...run.rollout, maxNewTokens: 100, samplesPerPrompt: 64, promptsPerStep };
      const config = { ...run, evaluation, rollout };
      return (await planOf(config)).work.step.flops;
    };
    expect((await of(64)) / (await of(16))).toBeCloseTo(4, 1);
  });

  it('includes the steps of a warm start, and the copy of its adapter as the reference', async () => {
    const training = { mode: 'lora', rank: 4, alpha: 8 } as const;
    const run = { ...cutShort('ladder-12k'), training, steps: 2 };
    const plain = await planOf(run);
    const warmed = { ...run, warmStart: { updates: 1, examples: 4 } };
    const plan = await planOf(warmed);
    expect(plain.work.warm).toBeUndefined();
    expect(plan.work.step.calls).toBeGreaterThan(0);
    expect(plan.work.warm?.flops).toBeGreaterThan(0);
    expect(plan.bytes.rollout).toBeGreaterThan(plain.bytes.rollout);
    await expectPeak(plan, 'ladder-12k', warmed, training);
  });
});
