import { describe, expect, it } from 'vitest';
import { shortcutLines } from '../../../../src/app/charts/lines/chart-lines';
import { evalReport } from '../../../run/verdict/verdicts';

describe('runs laid over each other', () => {
  const run = (name: string, shortcutLine: number) => ({
    name,
    evaluations: [{ report: evalReport({ shortcutLine }) }],
  });

  it('share one shortcut line where they were asked the same', () => {
    expect(shortcutLines([run('a', 0.9), run('b', 0.9)])).toEqual([{ label: 'the shortcut alone', run: 0 }]);
  });

  it('have one each, under their names, where they were not', () => {
    expect(shortcutLines([run('a', 0.9), run('b', 0.57), run('c', 0.9)])).toEqual([
      { label: 'a, c: the shortcut alone', run: 0 },
      { label: 'b: the shortcut alone', run: 1 },
    ]);
    expect(shortcutLines([{ name: 'new', evaluations: [] }])).toEqual([]);
  });
});
