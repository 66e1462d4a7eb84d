import { describe, expect, it } from 'vitest';
import { runJsonl } from '../../src/share/jsonl';
import { example } from './example-config';
import { all, batches, rollout, run } from './run-content';

describe('JSONL', () => {
  it('contains everything except the weights, one record per line with its type', async () => {
    const texts = await all(runJsonl(run.history, batches([rollout])));
    const lines = texts.join('').trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const types = ['run', 'step', 'step', 'eval', 'eval', 'alert', 'rollout'];
    expect(records.map(({ type }) => type)).toEqual(types);
    expect(records[0].config).toEqual(example);
    expect(records[2].reward).toBeNull();
    expect(records[6].completion).toBe(rollout.completion);
  });

  it('comes in parts of a limited number of steps, and of one batch of rollouts', async () => {
    const steps = Array.from({ length: 1_601 }, (_, index) => ({ step: index + 1 }));
    const texts = await all(runJsonl({ ...run.history, steps }, batches([rollout, rollout], [rollout])));
    const counts = (type: string) => texts.map((text) => text.split(`"type":"${type}"`).length - 1);
    expect(counts('step').filter((count) => count > 0)).toEqual([500, 500, 500, 101]);
    expect(counts('rollout').filter((count) => count > 0)).toEqual([2, 1]);
  });

  it('keeps the type of a line where a record has a field of that name', async () => {
    const steps = [{ step: 1, type: 7 }];
    const texts = await all(runJsonl({ ...run.history, steps }, batches()));
    const lines = texts.join('').trimEnd().split('\n');
    expect((JSON.parse(lines[1]) as { type: unknown }).type).toBe('step');
  });
});
