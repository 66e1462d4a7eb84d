import { describe, expect, it } from 'vitest';
import { metricsCsv, metricsCsvParts, toCsv } from '../../src/share/csv';
import { run } from './run-content';

describe('CSV', () => {
  it('has one row per step with metrics and evaluation, and columns in order of first occurrence', () => {
    const [head, first, second, third] = metricsCsv(run.history.steps, run.history.evals).split('\r\n');
    const columns = head.split(',');
    const cell = (line: string, column: string) => line.split(',')[columns.indexOf(column)];
    expect(columns[0]).toBe('step');
    expect([first, second, third].map((line) => cell(line, 'step'))).toEqual(['0', '1', '2']);
    for (const [line, column, value] of [
      [first, 'eval/accuracy', '0.5'],
      [first, 'eval/held_out/order 4/count', '10'],
      [first, 'reward', ''],
      [first, 'verdict/ending', ''],
      [second, 'completions/mean_length', '26'],
      [third, 'kl', '-Infinity'],
      [third, 'verdict/ending', 'too close to call'],
      [third, 'verdict/faithful_wrong_ratio/high', '0.21000000000000002'],
      [third, 'verdict/length_ratio', '0.21'],
      [third, 'verdict/belief_change', '0.2'],
      [third, 'verdict/belief_change/low', '0.19'],
      [third, 'eval/faithful', '0.4'],
      [third, 'eval/faithfulWrong', '0.3'],
      [third, 'eval/sampled/belief', '0.5'],
    ])
      expect([column, cell(line, column)]).toEqual([column, value]);
    expect(head).not.toMatch(/verdict\/(kept|belief_change\/count)/);
    const kept = run.history.evals.map((one) => ({ ...one, ...(one.verdict && { verdict: { ...one.verdict, ending: 'keeps thinking' as const } }) })); // prettier-ignore
    const [keptHead, , , keptLine] = metricsCsv(run.history.steps, kept).split('\r\n');
    expect(keptLine.split(',')[keptHead.split(',').indexOf('verdict/kept/high')]).toBe('0.21000000000000002');
  });

  it('of a long run comes in parts, whose lengths and number of steps do not depend on that of the run', () => {
    const steps = Array.from({ length: 1_601 }, (_, at) => ({ step: at + 1, reward: at, late: at }));
    const evals = [run.history.evals[0]];
    const parts = [...metricsCsvParts(steps, evals)];
    const lines = parts.map((part) => part.split('\r\n').length - 1);
    expect(lines).toEqual([0, 0, 0, 0, 1, 500, 500, 500, 102]);
    expect(parts[4]).toContain(',eval/accuracy,');
    expect(parts.join('').split('\r\n').at(-2)).toMatch(/^1601,.*1600,1600$/);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\r1', ' =1', '\u200b=1', '＝1'])(
    'escapes text that starts like a formula: %j',
    (text) => {
      const [, cell] = toCsv([{ text }]).split(/\r\n(?=["'])/);
      expect(cell.replace(/^"/, '').startsWith("'")).toBe(true);
    },
  );

  it('quotes commas, quotes and line breaks, and has empty cells where a row lacks a column', () => {
    expect(toCsv([{ toString: 1 }, { a: -2 }])).toBe('toString,a\r\n1,\r\n,-2\r\n');
    expect(toCsv([{ a: 'x,y', b: 'say "so"', c: 'two\nlines', d: -0.5, e: true, f: null }])).toBe(
      'a,b,c,d,e,f\r\n"x,y","say ""so""","two\nlines",-0.5,true,\r\n',
    );
  });
});
