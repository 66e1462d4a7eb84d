import { describe, expect, it } from 'vitest';
import { aligned, lastStepOf, toldAt, valueAt } from '../../../../src/app/charts/lines/aligned';
import * as chartLines from '../../../../src/app/charts/lines/chart-lines';
import { detailMetrics } from '../../../../src/app/charts/lines/charted-metrics';
import { stagesOf } from '../../../../src/app/update/stages';
import { algorithmNames, algorithms, type AlgorithmName } from '../../../../src/objective/algorithm';
import { wilson } from '../../../../src/reward/accuracy';
import { presets } from '../../../../src/run/config/presets';
import { curvesOf } from '../../../../src/app/charts/lines/curve';
import { evalReport } from '../../../run/verdict/verdicts';

const { accuracyOf, meanCurve, partLines, questionSets, stepLines, setWords, shortcutWords } = chartLines;

describe('runs laid over each other', () => {
  const run = (name: string, shortcutLine: number) => ({
    ...{ name, records: [], steps: 60 },
    evaluations: [{ report: evalReport({ shortcutLine }) }],
  });
  const labels = (...runs: Parameters<typeof accuracyOf>[0]) =>
    accuracyOf(runs).lines.map(({ label }) => label);

  it('are grouped by the questions that they were asked', () => {
    const namesOf = (...runs: ReturnType<typeof run>[]) =>
      questionSets(runs).map((own) => own.map(({ name }) => name));
    expect(namesOf(run('a', 0.9), run('b', 0.57), run('c', 0.9))).toEqual([['a', 'c'], ['b']]);
    expect(namesOf({ ...run('new', 0.9), evaluations: [] })).toEqual([]);
  });

  it('are titled by what their accuracy is of: where the hard questions alone are drawn, by these', () => {
    const [one, two, ...others] = ['a', 'b', 'c', 'd'].map((name) => ({ ...run(name, 0.9), arm: '' }));
    expect(accuracyOf([one]).title).toBe('Accuracy');
    for (const more of [[], others]) {
      const runs = [one, two, ...more];
      expect(labels(...runs)).toEqual([`all (${runs.length} runs)`]);
      expect(accuracyOf(runs).title).toBe('Hard questions');
    }
    const apart = [one, { ...two, arm: 'another' }];
    expect(labels(...apart)).toEqual(['a', 'b']);
    expect(accuracyOf(apart).title).toBe('Hard questions');
  });
});

it('the parts of a reward have a line each, and a reward of one part none', () => {
  const records = [1, 2].map((step) => ({ step, reward: 3 * step, 'rewards/format/mean': step, 'rewards/answer/mean': 2 * step })); // prettier-ignore
  const run = { name: 'a', records, evaluations: [], steps: 2 };
  const lines = partLines(run);
  expect(lines.map(({ label, steps, values }) => [label, steps, values[0]])).toEqual([
    ['format', [1, 2], 1],
    ['answer', [1, 2], 2],
  ]);
  expect(partLines({ ...run, records: [{ step: 1, 'rewards/answer/mean': 2 }] })).toEqual([]);
  expect(partLines({ ...run, records: [] })).toEqual([]);
});

it('questions that a test does not ask have no line, rather than one at 0 %', () => {
  const none = { accuracy: 0, low: 0, high: 1, count: 0 };
  const report = evalReport({ shortcutRight: none, shortcutWrong: none, shortcutLine: 0 });
  const run = { name: 'own data', records: [], steps: 10, evaluations: [{ report }] };
  expect(accuracyOf([run]).lines.map(({ label }) => label)).toEqual(['all questions']);
  const many = ['a', 'b', 'c', 'd'].map((name) => ({ ...run, name }));
  expect(accuracyOf(many)).toMatchObject({
    title: 'Accuracy',
    lines: many.map(({ name }) => ({ label: name })),
  });
  const two = ['a', 'b'].map((name) => ({ ...run, name, evaluations: [{ report: { ...report, step: 9 } }] }));
  const lines = aligned(accuracyOf(two).lines);
  expect(lastStepOf(lines, null)).toBe(9);
  expect(toldAt(lines, null, String)).toMatch(/^a \S+, b \S+$/);
  const { hard, easy } = curvesOf([], [{ report }]);
  expect([hard.values, easy.values]).toEqual([[null], [null]]);
});

it('the curve of an arm is the mean of its runs at each step, with one standard deviation on either side', () => {
  const curve = meanCurve([
    { steps: [0, 10, 20], values: [1, 2, 6] },
    { steps: [0, 10], values: [3, null] },
    { steps: [0, 5], values: [5, 9] },
  ]);
  expect(curve.steps).toEqual([0, 5, 10, 20]);
  expect(curve.values).toEqual([3, 5.25, 2, 6]); // at step 5 the first run is halfway from 1 to 2
  const spread = 7.5 / Math.SQRT2;
  expect(curve.band.low).toEqual([1, expect.closeTo(5.25 - spread, 9), 2, 6]);
  expect(curve.band.high).toEqual([5, expect.closeTo(5.25 + spread, 9), 2, 6]);
});

it('a smoothed curve forgets as fast if it is thinned', () => {
  const records = Array.from({ length: 6000 }, (_, at) => ({ step: at + 1, reward: at < 5900 ? 0.8 : 0 }));
  const run = { name: 'long', records, evaluations: [], steps: 6000 };
  const thinned = { ...run, records: records.filter(({ step }) => step <= 32 || step % 8 === 0) };
  for (const { records: own } of [run, thinned]) {
    const [each, smoothed] = stepLines([{ ...run, records: own }], 'reward', '--ink');
    expect(each.label).toBe(own === records ? 'each step' : 'some of the steps');
    for (const step of [1, 2, 3, 5900]) expect(valueAt(smoothed, step)).toBeCloseTo(0.8, 6);
    expect(valueAt(smoothed, 6000)).toBeLessThan(0.0001);
  }
});

it('the chart names the sizes of its test sets, and the fraction on which the shortcut is right', () => {
  const tested = (step: number, count: number) => ({
    report: evalReport({ step, overall: wilson(1, count), shortcutLine: 0.45 }),
  });
  const run = { name: 'a', records: [], steps: 52, evaluations: [tested(0, 40), tested(20, 16)] };
  expect(setWords(run)).toBe(': 40 questions at both ends, the first 16 of them in between');
  expect(setWords({ ...run, evaluations: [tested(0, 40), tested(20, 40)] })).toBe('');
  expect(setWords({ ...run, config: presets['first-run-0.5b'] })).toContain(
    'at both ends and where rewards begin',
  );
  expect(shortcutWords([run])).toContain('is right on 45 % of it');
  const none = wilson(0, 0);
  const report = evalReport({ shortcutRight: none, shortcutWrong: none, shortcutLine: 0 });
  expect(shortcutWords([{ ...run, evaluations: [{ report }] }])).toBe('');
});

it('prompts whose samples all earned the same are said to teach nothing where their advantages are 0', () => {
  const [, , , about] = detailMetrics.find(([metric]) => metric === 'frac_reward_zero_std')!;
  const batch = { step: 1, groups: [0, 0, 1, 1], rewards: [3, -1, 2, 2], tokens: [20, 10, 10, 10], advantages: [] }; // prettier-ignore
  const named = (Object.keys(algorithms) as AlgorithmName[]).filter((name) =>
    stagesOf(batch, algorithms[name])
      .scaled.slice(2)
      .every((advantage) => advantage === 0),
  );
  const list = named.map((name) => algorithmNames[name]);
  expect(about).toContain(`${list.slice(0, -1).join(', ')} and ${list.at(-1)} learn nothing`);
});
