import { describe, expect, it } from 'vitest';
import { metricsCsv, metricsCsvParts, rolloutsCsv, toCsv } from '../../src/share/csv';
import { batches, rollout, run, textsOf } from './run-content';

describe('CSV', () => {
  it('has one row per step with metrics and evaluation, and columns in order of first occurrence', () => {
    const [head, first, second, third] = metricsCsv(run.history.steps, run.history.evals).split('\r\n');
    const columns = head.split(',');
    const cell = (line: string, column: string) => line.split(',')[columns.indexOf(column)];
    expect(columns[0]).toBe('step');
    expect([first, second, third].map((line) => cell(line, 'step'))).toEqual(['0', '1', '2']);
    expect(cell(first, 'eval/accuracy')).toBe('0.5');
    expect(cell(first, 'eval/validation')).toBe('0.25');
    expect(cell(first, 'eval/held_out/order 4/count')).toBe('10');
    expect(cell(first, 'reward')).toBe('');
    expect(cell(second, 'completions/mean_length')).toBe('26');
    expect(cell(third, 'kl')).toBe('-Infinity');
    expect(cell(first, 'verdict/ending')).toBe('');
    expect(cell(third, 'verdict/ending')).toBe('too close to call');
    expect(head).not.toContain('verdict/kept');
    const kept = run.history.evals.map((one) => ({ ...one, ...(one.verdict && { verdict: { ...one.verdict, ending: 'keeps thinking' as const } }) })); // prettier-ignore
    const [keptHead, , , keptLine] = metricsCsv(run.history.steps, kept).split('\r\n');
    expect(keptLine.split(',')[keptHead.split(',').indexOf('verdict/kept/high')]).toBe('0.21000000000000002');
    expect([cell(third, 'eval/faithful'), cell(third, 'eval/faithfulWrong')]).toEqual(['0.4', '0.3']);
    expect(cell(third, 'verdict/faithful_wrong_ratio/high')).toBe('0.21000000000000002');
    expect(cell(third, 'verdict/belief_change/low')).toBe('0.19');
    expect(cell(third, 'verdict/fate/empty')).toBe('0.6');
    expect(cell(third, 'eval/trace/followed')).toBe('0.5');
    expect(cell(third, 'eval/sampled/belief')).toBe('0.5');
  });

  it('of a long run comes in parts, whose lengths and number of steps do not depend on that of the run', () => {
    const steps = Array.from({ length: 1_601 }, (_, index) => ({
      step: index + 1,
      reward: index,
      late: index,
    }));
    const evals = [run.history.evals[0]];
    const parts = [...metricsCsvParts(steps, evals)];
    const lines = parts.map((part) => part.split('\r\n').length - 1);
    expect(lines).toEqual([0, 0, 0, 0, 1, 500, 500, 500, 102]);
    expect(parts.join('')).toBe(metricsCsv(steps, evals));
    expect(parts.join('').split('\r\n').at(-2)).toMatch(/^1601,.*1600,1600$/);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\u200b=1', '＝1'])(
    'escapes text that starts like a formula: %j',
    (text) => {
      const [, cell] = toCsv([{ text }]).split(/\r\n(?=["'])/);
      expect(cell.replace(/^"/, '').startsWith("'")).toBe(true);
    },
  );

  it('quotes commas, quotes and line breaks, and does not quote numbers', () => {
    expect(toCsv([{ a: 'x,y', b: 'say "so"', c: 'two\nlines', d: -0.5, e: true, f: null }])).toBe(
      'a,b,c,d,e,f\r\n"x,y","say ""so""","two\nlines",-0.5,true,\r\n',
    );
  });

  it('has a column for each part of a rollout’s reward', async () => {
    const [head, row] = (await textsOf(rolloutsCsv(() => batches([rollout])))).join('').split('\r\n');
    expect(head).toContain('rewards/answer');
    expect(head).not.toContain('byToken');
    expect(head).toContain('completion');
    expect(row).toContain('ann last bin </think> <answer> bin </answer>');
  });

  it('writes rollouts batch by batch, with the columns of all batches', async () => {
    const parts = [{ name: 'late', value: 1, reason: 'r' }];
    const later = { ...rollout, step: 2, reward: { ...rollout.reward, parts } };
    const texts = await textsOf(rolloutsCsv(() => batches([rollout], [later, later])));
    expect(texts.map((text) => text.split('\r\n').length - 1)).toEqual([1, 1, 2]);
    expect(texts[0].trimEnd().split(',').slice(-2)).toEqual(['rewards/answer', 'rewards/late']);
    expect(texts[1].trimEnd()).toMatch(/,2,$/);
    expect(texts[2].trimEnd()).toMatch(/,,1$/);
  });
});
