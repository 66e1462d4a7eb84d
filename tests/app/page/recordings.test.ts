import { describe, expect, it } from 'vitest';
import { exampleOf } from '../../../src/app/story/rollouts';
import { answeredTwice, byClarity, changeOf, thoughtOf } from '../../../src/run/recording/answered-twice';
import { measuredAccuracy } from '../../../src/reward/accuracy';
import { mean } from '../../../src/base/statistics';
import { curvesOf } from '../../../src/app/charts/lines/curve';
import { drawnItem, rungs } from '../../../src/run/recording/recording-file';
import { judgedEnding } from '../../../src/run/verdict/ending';
import { presets } from '../../../src/run/config/presets';
import { isHardRollout } from '../../../src/run/record/rollouts';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { evalReport } from '../../run/verdict/verdicts';
import { readRecording } from '../../fixtures/recordings';

describe.each(rungs)('the recording of the $name model', ({ preset }) => {
  const { config, records, evals, batches, rollouts } = readRecording(preset);

  it('is whole and judged, under the reward of all three, which rises', () => {
    expect(config).toEqual(presets[preset]);
    expect(config.reward).toEqual(presets['ladder-25k'].reward);
    const { reward, thinking, hard, easy } = curvesOf(records, evals);
    const { steps } = config;
    const counts = [reward, thinking, hard, easy].map(({ values }) => values.length);
    expect(counts).toEqual([steps, steps, evals.length, evals.length]);
    expect(judgedEnding(evals)).not.toBeNull();
    const of = (part: typeof records): number => mean(part.map((record) => record.reward));
    expect(of(records.slice(-steps / 5))).toBeGreaterThan(of(records.slice(0, 3)));
  });

  it('holds what every picture of the page is drawn from, and a question whose answer has changed', () => {
    const samples = config.rollout.promptsPerStep * config.rollout.samplesPerPrompt;
    expect(batches.map(({ rewards }) => rewards.length)).toEqual(batches.map(() => samples));
    expect([...new Set(rollouts.map(({ step }) => step))]).toEqual(batches.map(({ step }) => step));
    expect(records.every((record) => 'think/mean_length' in record)).toBe(true);
    const drawn = evals.map(({ report }) => report.samples.find(({ itemId }) => itemId === drawnItem)!);
    expect(drawn.every(isHardRollout)).toBe(true);
    expect(drawn.at(-1)!.reward.correct).toBe(measuredAccuracy(evals.at(-1)!.report.shortcutWrong)! >= 0.5);
    const [clearest] = byClarity(answeredTwice(evals[0], evals[evals.length - 1]));
    expect(changeOf(clearest)).toMatch(/^became/);
  });
});

it('each have a hard question that shows how they ended', () => {
  const told = rungs.map(({ preset }) => {
    const { evals } = readRecording(preset);
    const last = evals[evals.length - 1];
    const { before, after } = exampleOf(answeredTwice(evals[0], last), last.verdict!.ending)!;
    expect(before.shortcutAnswer).not.toBe(before.goldAnswer);
    return [before, after].map((answer) => `${answer.reward.correct} ${thoughtOf(answer)}`);
  });
  expect(told).toEqual([
    ['false u', 'false n'],
    ['true t', 'false u'],
    ['true t', 'true t'],
  ]);
});

/** Answers such as `a+jar 2`: the item, right or wrong, the shortcut's answer, and the number of true statements. */
const answers = (texts: readonly string[]): Rollout[] =>
  texts.map((text) => {
    const [, itemId, sign, shortcutAnswer, count] = /^(.)([+-])(\w+) ?(\d*)$/.exec(text)!;
    const statements = Array.from({ length: Number(count) }, () => ({ text: 'so box', verdict: 'true' }));
    const reward = { correct: sign === '+', trace: { statements } };
    return { itemId, goldAnswer: 'box', shortcutAnswer, reward } as unknown as Rollout;
  });

const four = ['a+jar', 'b-box', 'c-box', 'd+jar'];

it.each([
  ['one that became wrong before one that became right', four, ['a+jar', 'b+box', 'c+box', 'd-jar'], 'dbca'],
  ['one that became right before one that stays', four, ['a+jar', 'b+box', 'c+box', 'd+jar'], 'bcad'],
  [
    'the first that became wrong and right, then the others',
    four,
    ['a-jar', 'b+box', 'c+box', 'd-jar'],
    'abdc',
  ],
  ['the one that lost most true statements', ['a+box 1', 'b+box 4'], ['a+box', 'b+box'], 'ba'],
  ['only one that is asked at both steps', ['a+jar', 'b+box'], ['b+box'], 'b'],
])('the question by which a change is seen is %s', (_, first, now, order) => {
  const [before, after] = [first, now].map((texts) => ({ report: evalReport({ samples: answers(texts) }) }));
  const sorted = byClarity(answeredTwice(before, after));
  expect(sorted.map((question) => question.before.itemId).join('')).toBe(order);
});
