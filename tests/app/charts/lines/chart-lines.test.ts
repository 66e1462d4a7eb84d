import { describe, expect, it } from 'vitest';
import { accuracyTitle, comparedAccuracy, shortcutLines } from '../../../../src/app/charts/lines/chart-lines';
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

  it('are titled by what their accuracy is of: where the hard questions alone are drawn, by these', () => {
    const runOf = (name: string) => ({ ...run(name, 0.9), records: [], steps: 60, arm: '' });
    const [one, two, ...others] = ['a', 'b', 'c', 'd'].map(runOf);
    expect(accuracyTitle([one])).toBe('Accuracy');
    for (const runs of [
      [one, two],
      [one, two, ...others],
    ]) {
      expect(comparedAccuracy(runs)).toHaveLength(1);
      expect(accuracyTitle(runs)).toBe('Hard questions');
    }
    const apart = [one, { ...two, arm: 'another' }];
    expect(comparedAccuracy(apart).map(({ label }) => label)).toContain('a: all questions');
    expect(accuracyTitle(apart)).toBe('Accuracy');
  });
});
