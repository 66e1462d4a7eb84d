import { expect, it } from 'vitest';
import { exampleOf } from '../../../src/app/story/rollouts';
import { answeredTwice, thoughtOf } from '../../../src/run/recording/answered-twice';
import { rungs } from '../../../src/run/recording/recording-file';
import { readRecording } from '../../fixtures/recordings';

it('each recording has a hard question that shows how it ended', () => {
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
