import { describe, expect, it } from 'vitest';
import { csvParts, toCsv } from '../../src/share/csv';

describe('CSV', () => {
  it('of a long run comes in parts, whose lengths and number of steps do not depend on that of the run', () => {
    const steps = Array.from({ length: 1_601 }, (_, at) => ({ step: at + 1, reward: at, late: at }));
    const parts = [...csvParts(steps)];
    const lines = parts.map((part) => part.split('\r\n').length - 1);
    expect(lines).toEqual([0, 0, 0, 0, 1, 500, 500, 500, 101]);
    expect(parts[4]).toBe('step,reward,late\r\n');
    expect(parts.join('').split('\r\n').at(-2)).toBe('1601,1600,1600');
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
