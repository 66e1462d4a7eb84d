import { describe, expect, it } from 'vitest';
import { exampleOf } from '../../../src/app/story/rollouts';
import { answeredTwice, byClarity, changeOf, thoughtOf } from '../../../src/run/recording/answered-twice';
import { measuredAccuracy } from '../../../src/reward/accuracy';
import { mean } from '../../../src/base/statistics';
import { curvesOf } from '../../../src/app/charts/lines/curve';
import { drawnItem, rungs } from '../../../src/run/recording/recording-file';
import { judgedEnding } from '../../../src/run/verdict/ending';
import { presets } from '../../../src/run/config/presets';
import { isHardRollout } from '../../../src/run/verdict/hard-rollout';
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

describe('the question by which a change is seen', () => {
  const answer = (itemId: string, correct: boolean, shortcut: string, statements = 0): Rollout =>
    ({
      itemId,
      goldAnswer: 'box',
      shortcutAnswer: shortcut,
      reward: {
        correct,
        trace: {
          statements: Array.from({ length: statements }, () => ({ text: 'so box', verdict: 'true' })),
        },
      },
    }) as unknown as Rollout;
  const order = (first: Rollout[], now: Rollout[]): string => {
    const questions = answeredTwice(
      { report: evalReport({ samples: first }) },
      { report: evalReport({ samples: now }) },
    );
    return byClarity(questions)
      .map(({ before }) => before.itemId)
      .join('');
  };

  it('is one that became wrong and one that became right, the one whose shortcut is wrong before the other', () => {
    const first = [
      answer('a', true, 'jar'),
      answer('b', false, 'box'),
      answer('c', false, 'box'),
      answer('d', true, 'jar'),
    ];
    const won = [answer('b', true, 'box'), answer('c', true, 'box')];
    expect(order(first, [answer('a', true, 'jar'), ...won, answer('d', false, 'jar')])).toBe('dbca');
    expect(order(first, [answer('a', true, 'jar'), ...won, answer('d', true, 'jar')])).toBe('bcad');
    // The first two became wrong and right, regardless of other changes.
    expect(order(first, [answer('a', false, 'jar'), ...won, answer('d', false, 'jar')])).toBe('abdc');
  });

  it('is, among those whose answers stay, the one that lost or won most true statements', () => {
    expect(
      order(
        [answer('a', true, 'box', 1), answer('b', true, 'box', 4)],
        [answer('a', true, 'box'), answer('b', true, 'box')],
      ),
    ).toBe('ba');
  });

  it('is asked at both steps', () => {
    expect(order([answer('a', true, 'jar'), answer('b', true, 'box')], [answer('b', true, 'box')])).toBe('b');
  });
});
