import { describe, expect, it } from 'vitest';
import { planOf } from '../../../scripts/pretrain/pretraining-plans';
import type { StepRecord } from '../../../src/run/record/events';
import { pretrain, type PretrainingRecipe } from '../../../src/rl/supervised/pretraining';
import { goldExample, sftUpdate } from '../../../src/rl/supervised/sft';
import { newAlertState } from '../../../src/run/verdict/alert-rules';
import { generateDataset } from '../../../src/tom/worlds/generate';
import { compactPrompt } from '../../../src/tom/text/prompts';
import { createTablePolicy, tableTokenizer } from '../table-policy';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmRecipe } from '../runs';

const base: PretrainingRecipe = { ...warmRecipe, seed: 5, mix: { full: 1, short: 1, direct: 1 }, steps: 4 };

async function run(recipe: PretrainingRecipe): Promise<{ records: StepRecord[]; tokens: number }> {
  const records: StepRecord[] = [];
  const tokens = await pretrain(createTablePolicy(), recipe, {
    onStep: (record) => void records.push(record),
  });
  return { records, tokens };
}

describe('pretraining', () => {
  it('takes its steps, and learns', async () => {
    const { records, tokens } = await run({ ...base, steps: 10 });
    expect(records.map(({ step }) => step)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
    expect(tokens).toBe(records[9].num_tokens);
    expect(records[0].loss).toBeCloseTo(Math.log(tableTokenizer.vocabularySize), 4);
    expect(records[9].loss).toBeLessThan(records[0].loss / 2);
  });

  it('learns the same if examples run a few at a time, the longest first', async () => {
    const whole = await run(base);
    const parts = await run({ ...base, atOnce: 5 });
    expect(parts.tokens).toBe(whole.tokens);
    whole.records.forEach(({ loss, grad_norm: norm }, index) => {
      expect(parts.records[index].loss).toBeCloseTo(loss, 5);
      expect(parts.records[index].grad_norm).toBeCloseTo(norm, 4);
    });
  });

  it('ends if the loss is not finite', async () => {
    const adamw = { ...base.adamw, learningRate: Infinity };
    await expect(run({ ...base, adamw })).rejects.toMatchObject({ code: 'rl/not-finite' });
  });
});

describe('the plans of pretraining', () => {
  it.each(['swap-25k', 'swap-398k', 'hitom-mini'])('of %s use stories in its vocabulary', (model) => {
    const { recipe, vocabulary, marks = [] } = planOf({ model, seed: 1 });
    const pattern = marks.length === 0 ? /\s+/ : /\s+|(?=[.,?:])/;
    const items = generateDataset({ ...recipe.data, seed: 1, count: 50 });
    const words = items.flatMap((item) => `${compactPrompt(item)} ${item.traces!.full!}`.split(pattern));
    expect(words.filter((word) => !vocabulary.includes(word))).toEqual([]);
  });

  it('train hitom-mini on each order about equally, although most items are dropped', () => {
    const { recipe } = planOf({ model: 'hitom-mini', seed: 1 });
    const items = generateDataset({ ...recipe.data, seed: 1, count: 500 });
    for (const order of [0, 1, 2, 3]) {
      const share = items.filter((item) => item.order === order).length / items.length;
      expect(Math.abs(share - 0.25)).toBeLessThan(0.06);
    }
  });
});

describe('SFT', () => {
  it('ends every completion with the end token and does not train on the prompt', async () => {
    const policy = createTablePolicy();
    const [item] = generateDataset({ ...base.data, seed: 1, count: 1 });
    const example = goldExample(policy, item, 'direct');
    expect(tableTokenizer.decode(example.response)).toBe(item.traces!.direct);
    expect(example.response.at(-1)).toBe(tableTokenizer.stopIds[0]);
    // An answer needs no gold trace.
    expect(goldExample(policy, { ...item, traces: undefined }, 'direct')).toEqual(example);
    const report = await sftUpdate(policy, [example], base.adamw);
    expect(report.tokens).toBe(example.prompt.length + example.response.length);
    expect(report.loss).toBeCloseTo(Math.log(tableTokenizer.vocabularySize), 5);
    const { parameters } = await policy.state();
    const changedRows = new Set<number>();
    parameters.forEach((value, i) => {
      if (value !== 0) changedRows.add(Math.floor(i / tableTokenizer.vocabularySize));
    });
    const before = [example.prompt.at(-1)!, ...example.response.slice(0, -1)];
    expect([...changedRows].sort((a, b) => a - b)).toEqual([...new Set(before)].sort((a, b) => a - b));
  });

  it('is a control arm of the trainer, which learns to answer at once', async () => {
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
    expect(lastCheckpoint(events).trainer.alerts).toMatchObject(newAlertState());
  });
});
