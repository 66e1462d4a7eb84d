import { expect, it } from 'vitest';
import { lastStepOf, toldAt, valueAt } from '../../../../src/app/charts/lines/chart-line';
import * as charted from '../../../../src/app/charts/lines/charted';
import type { StepRecord } from '../../../../src/run/record/events';
import { curvesOf, type ChartRun } from '../../../../src/app/charts/lines/curve';
import { presets } from '../../../../src/run/config/presets';
import { evalReport } from '../../../run/verdict/verdicts';

const { accuracyOf, areAskedTheSame, detailCharts, mainCharts, meanCurve, stepLines } = charted;
const config = presets['ladder-12k'];

it('runs laid over each other may have been asked different questions', () => {
  const run = (shortcutLine: number) => ({
    ...{ name: 'a', config, records: [] },
    evaluations: [{ report: evalReport({ shortcutLine }) }],
  });
  expect(areAskedTheSame([run(0.9), run(0.57), run(0.9)])).toBe(false);
  expect(areAskedTheSame([run(0.9), run(0.9), { ...run(0.5), evaluations: [] }])).toBe(true);
});

it('the parts of a reward are lines beside it, if a single run has several', () => {
  const records = [1, 2].map((step) => ({ step, reward: 3 * step, 'rewards/format/mean': step, 'rewards/answer/mean': 2 * step })); // prettier-ignore
  const run = { name: 'a', arm: 'a', config, records, evaluations: [] };
  const inReward = (...runs: ChartRun[]) => mainCharts(runs)[0].lines.map(({ label }) => label);
  expect(inReward(run)).toEqual(['single steps', 'smoothed', 'format', 'answer']);
  expect(mainCharts([run])[0].lines.map(({ values }) => values[0])).toEqual([3, 3, 1, 2]);
  expect(inReward({ ...run, records: [{ step: 1, reward: 2, 'rewards/answer/mean': 2 }] })).toHaveLength(2);
  expect(inReward(run, { ...run, name: 'b', arm: 'b' })).toEqual(['a', 'b']);
});

it('a metric that is not measured has no chart, for one run or for an arm of two', () => {
  const run = { name: 'a', arm: '', config, evaluations: [] };
  for (const count of [1, 2]) {
    const titles = (records: StepRecord[]) =>
      detailCharts(Array.from({ length: count }, () => ({ ...run, records }))).map(({ title }) => title);
    expect(titles([{ step: 1, kl: 1 }])).toEqual(['KL']);
    expect(titles([])).toEqual([]);
  }
});

it('questions that a test does not ask have no line, rather than one at 0 %', () => {
  const none = { accuracy: 0, low: 0, high: 1, count: 0 };
  const report = evalReport({ shortcutRight: none, shortcutWrong: none, shortcutLine: 0 });
  const run = { name: 'own data', config, records: [], evaluations: [{ report }] };
  expect(accuracyOf([run]).lines.map(({ label }) => label)).toEqual(['all questions']);
  const many = ['a', 'b', 'c', 'd'].map((name) => ({ ...run, name }));
  expect(accuracyOf(many)).toMatchObject({
    title: 'Accuracy',
    lines: many.map(({ name }) => ({ label: name })),
  });
  const two = ['a', 'b'].map((name) => ({ ...run, name, evaluations: [{ report: { ...report, step: 9 } }] }));
  const { lines } = accuracyOf(two);
  expect(lastStepOf(lines, null)).toBe(9);
  expect(toldAt(lines, null, String)).toMatch(/^a \S+, b \S+$/);
  const { hard, easy } = curvesOf([], [{ report }]);
  expect([hard.values, easy.values]).toEqual([[null], [null]]);
});

it('the curve of an arm is the mean of its runs at each shared step, with one standard deviation on either side', () => {
  const curve = meanCurve([
    { steps: [0, 10, 20], values: [1, 2, 6] },
    { steps: [0, 10], values: [3, null] },
    { steps: [0, 5], values: [5, 9] },
  ]);
  expect(curve.steps).toEqual([0, 10, 20]); // at step 5 the first two runs have no value
  expect(curve.values).toEqual([3, 2, 6]);
  expect(curve.band.low).toEqual([1, 2, 6]);
  expect(curve.band.high).toEqual([5, 2, 6]);
});

it('a smoothed curve forgets as fast if it is thinned', () => {
  const records = Array.from({ length: 6000 }, (_, at) => ({ step: at + 1, reward: at < 5900 ? 0.8 : 0 }));
  const run = { name: 'long', config, records, evaluations: [] };
  const thinned = { ...run, records: records.filter(({ step }) => step <= 32 || step % 8 === 0) };
  for (const { records: own } of [run, thinned]) {
    const [each, smoothed] = stepLines([{ ...run, records: own }], 'reward', '--ink');
    expect(each.label).toBe('single steps');
    for (const step of [1, 2, 3, 5900]) expect(valueAt(smoothed, step)).toBeCloseTo(0.8, 6);
    expect(valueAt(smoothed, 6000)).toBeLessThan(0.0001);
  }
});
