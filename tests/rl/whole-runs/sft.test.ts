import { describe, expect, it } from 'vitest';
import { goldExample, sftUpdate } from '../../../src/rl/supervised/sft';
import { generateDataset } from '../../../src/tom/worlds/generate';
import { createTablePolicy, tableTokenizer } from '../table-policy';
import { goldExamples, swapData, warmAdamw } from '../runs';

const mix = { full: 1, short: 1, direct: 1 };

describe('SFT', () => {
  it('learns the same if examples run a few at a time, the longest first', async () => {
    const [whole, parts] = [createTablePolicy(), createTablePolicy()];
    for (let step = 0; step < 4; step++) {
      const examples = goldExamples(whole, 5, step, mix);
      const expected = await sftUpdate(whole, examples, warmAdamw);
      const report = await sftUpdate(parts, examples, warmAdamw, { atOnce: 5 });
      expect(report.tokens).toBe(expected.tokens);
      expect(report.loss).toBeCloseTo(expected.loss, 5);
      expect(report.gradNorm).toBeCloseTo(expected.gradNorm, 4);
    }
  });

  it('changes nothing if the loss is not finite', async () => {
    const policy = createTablePolicy();
    const state = await policy.state();
    const broken = { ...state, parameters: state.parameters.map(() => NaN) };
    policy.restore(broken);
    const report = await sftUpdate(policy, goldExamples(policy, 5, 0, mix), warmAdamw);
    expect(report).toMatchObject({ loss: NaN, applied: false });
    expect((await policy.state()).updates).toBe(0);
  });

  it('ends every completion with the end token and does not train on the prompt', async () => {
    const policy = createTablePolicy();
    const [item] = generateDataset({ ...swapData, seed: 1, count: 1 });
    const example = goldExample(policy, item, 'direct');
    expect(tableTokenizer.decode(example.response)).toBe(item.traces!.direct);
    expect(example.response.at(-1)).toBe(tableTokenizer.stopIds[0]);
    // An answer needs no gold trace.
    expect(goldExample(policy, { ...item, traces: undefined }, 'direct')).toEqual(example);
    const report = await sftUpdate(policy, [example], warmAdamw);
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
});
