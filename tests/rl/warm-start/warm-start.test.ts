import { describe, expect, it } from 'vitest';
import type { StepRecord } from '../../../src/run/record/events';
import { goldExample, sftUpdate } from '../../../src/rl/warm-start/sft';
import {
  pretrainingRecipe,
  warmStart,
  warmStartRecipe,
  type WarmStartConfig,
  type WarmStartOptions,
  type WarmStartReport,
} from '../../../src/rl/warm-start/warm-start';
import { generateDataset } from '../../../src/tom/worlds/generate';
import { createTablePolicy, tableTokenizer } from '../table-policy';
import { eventsOf, ofType, recordsOf, smallConfig } from '../runs';

const recipe: WarmStartConfig = {
  ...warmStartRecipe('micro', 5),
  batch: 16,
  maxNewTokens: 40,
  adamw: { ...warmStartRecipe('micro', 5).adamw, learningRate: 0.3, maxGradNorm: 10 },
};
const direct = { full: 0, short: 0, direct: 1 };
const full = { full: 1, short: 0, direct: 0 };
const goal = { accuracy: 0.1, format: 0.9, after: 6, every: 3, items: 64 };

async function run(
  config: WarmStartConfig,
  policy = createTablePolicy(),
  options: Pick<WarmStartOptions, 'done' | 'until'> = {},
): Promise<{ records: StepRecord[]; report: WarmStartReport }> {
  const records: StepRecord[] = [];
  const report = await warmStart(policy, config, {
    ...options,
    onStep: (record) => void records.push(record),
  });
  return { records, report };
}

describe('the warm start', () => {
  it('runs its first stage to the end and its second to the goal', async () => {
    const stages = [
      { mix: full, steps: 10 },
      { mix: direct, steps: 200, goal },
    ];
    const { records, report } = await run({ ...recipe, stages });
    expect(report.reached).toBe(true);
    expect(report.steps).toBe(records.length);
    expect(report.steps).toBeGreaterThanOrEqual(16);
    expect(report.steps).toBeLessThan(210);
    expect(report.accuracy).toBeGreaterThanOrEqual(goal.accuracy);
    expect(report.format).toBeGreaterThanOrEqual(goal.format);
    expect(records[0].loss).toBeCloseTo(Math.log(tableTokenizer.vocabularySize), 4);
    expect(records[9].loss).toBeLessThan(records[0].loss / 2);
  });

  it('says so when the goal was not reached', async () => {
    const stages = [{ mix: direct, steps: 9, goal: { ...goal, accuracy: 1.1 } }];
    const { report } = await run({ ...recipe, stages });
    expect(report).toMatchObject({ reached: false, steps: 9 });
  });

  it('draws verbosities by their shares', async () => {
    const shares = { full: 10, short: 10, direct: 80 };
    const mixed = await run({ ...recipe, batch: 400, stages: [{ mix: shares, steps: 1 }] });
    const lengths = { full: 0, short: 0, direct: 0 };
    for (const verbosity of ['full', 'short', 'direct'] as const) {
      const policy = createTablePolicy();
      const items = generateDataset({ ...recipe.data, seed: recipe.seed, offset: 0, count: 400 });
      const examples = items.map((item) => goldExample(policy, item, verbosity));
      lengths[verbosity] = examples.reduce((sum, e) => sum + e.prompt.length + e.response.length, 0);
    }
    const expected = 0.1 * lengths.full + 0.1 * lengths.short + 0.8 * lengths.direct;
    expect(Math.abs(mixed.report.tokens / expected - 1)).toBeLessThan(0.03);
  });

  it('is the same run from the same seed', async () => {
    const config = { ...recipe, stages: [{ mix: { full: 1, short: 1, direct: 1 }, steps: 3 }] };
    expect(await run(config)).toEqual(await run(config));
    expect(await run({ ...config, seed: 6 })).not.toEqual(await run(config));
  });

  it('learns the same from examples that run a few at a time, the longest first', async () => {
    const config = { ...recipe, stages: [{ mix: { full: 1, short: 1, direct: 1 }, steps: 4 }] };
    const whole = await run(config);
    const parts = await run({ ...config, atOnce: 5 });
    expect(parts.report.tokens).toBe(whole.report.tokens);
    whole.records.forEach(({ loss, grad_norm: norm }, index) => {
      expect(parts.records[index].loss).toBeCloseTo(loss, 5);
      expect(parts.records[index].grad_norm).toBeCloseTo(norm, 4);
    });
  });

  it('goes on where an earlier run was left off as if it had not been', async () => {
    const config = pretrainingRecipe({
      seed: 5,
      steps: 6,
      batch: 4,
      data: recipe.data,
      learningRate: 0.1,
    });
    const whole = await run(config);
    const policy = createTablePolicy();
    const begun = await run(config, policy, { until: 3 });
    expect(begun.records).toEqual(whole.records.slice(0, 3));
    const { steps, tokens } = begun.report;
    const { records, report } = await run(config, policy, { done: { steps, tokens } });
    expect(records).toEqual(whole.records.slice(3));
    expect(report).toEqual(whole.report);
  });

  it('refuses to go on from a loss that is not finite', async () => {
    const stages = [{ mix: direct, steps: 3 }];
    await expect(
      run({ ...recipe, stages, adamw: { ...recipe.adamw, learningRate: Infinity } }),
    ).rejects.toMatchObject({ code: 'rl/not-finite' });
  });
});

describe('SFT', () => {
  it('ends every completion with the end token and learns nothing of the prompt', async () => {
    const policy = createTablePolicy();
    const [item] = generateDataset({ ...recipe.data, seed: 1, count: 1 });
    const example = goldExample(policy, item, 'direct');
    expect(tableTokenizer.decode(example.response)).toBe(item.traces!.direct);
    expect(example.response.at(-1)).toBe(tableTokenizer.stopIds[0]);
    const report = await sftUpdate(policy, [example], recipe.adamw);
    expect(report.loss).toBeCloseTo(Math.log(tableTokenizer.vocabularySize), 5);
    const { parameters } = await policy.state();
    const changedRows = new Set<number>();
    parameters.forEach((value, i) => {
      if (value !== 0) changedRows.add(Math.floor(i / tableTokenizer.vocabularySize));
    });
    const before = [example.prompt.at(-1)!, ...example.response.slice(0, -1)];
    expect([...changedRows].sort((a, b) => a - b)).toEqual([...new Set(before)].sort((a, b) => a - b));
  });

  it('makes an answer of an item that has no traces, and refuses to make up a trace', () => {
    const [item] = generateDataset({ ...recipe.data, seed: 1, count: 1 });
    const bare = { ...item, traces: undefined };
    const policy = createTablePolicy();
    expect(tableTokenizer.decode(goldExample(policy, bare, 'direct').response)).toBe(item.traces!.direct);
    expect(() => goldExample(policy, bare, 'full')).toThrow('has no gold trace');
  });

  it('is a control arm of the trainer: it learns to answer at once', async () => {
    const config = smallConfig({
      method: 'sft-answers',
      steps: 30,
      optimizer: { ...smallConfig().optimizer, learningRate: 0.3, maxGradNorm: 10 },
    });
    const events = await eventsOf(createTablePolicy(), config);
    expect(recordsOf(events)[29].loss).toBeLessThan(0.6);
    const { report } = ofType(events, 'eval').at(-1)!;
    expect(report.emptyThinkFraction).toBe(1);
    expect(report.formatRate).toBe(1);
  });
});
