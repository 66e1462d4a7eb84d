import { describe, expect, it } from 'vitest';
import { exampleOf } from '../../../src/app/story/rollouts';
import { answeredTwice, byClarity, changeOf, thoughtOf } from '../../../src/run/recording/answered-twice';
import { measuredAccuracy } from '../../../src/reward/accuracy';
import { drawnItem, rungs } from '../../../src/run/recording/recording-file';
import { isHardRollout } from '../../../src/run/record/rollouts';
import { readRecording } from '../../fixtures/recordings';

describe.each(rungs)('the recording of the $name model', ({ preset }) => {
  const { config, records, evals, batches, rollouts } = readRecording(preset);

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
