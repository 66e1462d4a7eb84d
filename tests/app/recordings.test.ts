import { describe, expect, it } from 'vitest';
import { answeredTwice, clearestChange } from '../../src/app/clearest-change';
import { recordingOf, type Recording } from '../../src/app/recording';
import { presetDescriptions, presetNames } from '../../src/app/preset-descriptions';
import { recordedStories, recordingFiles } from '../../src/app/recorded-presets';
import { presets } from '../../src/run/presets';
import type { Rollout } from '../../src/run/events';
import { evalReport } from '../run/verdicts';

const recorded = (preset: string): Recording => ({ config: presets[preset] }) as Recording;

describe('the recording of a link', () => {
  const recordings = [recorded('swap-collapse'), recorded('nano-order-1')];

  it('is the one of its own preset', () => {
    expect(recordingOf(recordings, presets['nano-order-1'])?.config.preset).toBe('nano-order-1');
  });

  it('is none where only other presets have one', () => {
    expect(recordingOf(recordings, presets['micro-collapse'])).toBeNull();
    expect(recordingOf(null, presets['swap-collapse'])).toBeNull();
  });
});

it('every preset has a name that a person would say, unlike any other', () => {
  expect(Object.keys(presetNames).sort()).toEqual(Object.keys(presetDescriptions).sort());
  expect(new Set(Object.values(presetNames)).size).toBe(Object.keys(presetNames).length);
  expect(Object.keys(recordedStories)).toEqual(Object.keys(recordingFiles));
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
  const chosen = (first: Rollout[], now: Rollout[]): string => {
    const questions = answeredTwice(
      { report: evalReport({ samples: first }) },
      { report: evalReport({ samples: now }) },
    );
    return questions[clearestChange(questions)].before.itemId;
  };

  it('is one whose shortcut is wrong, before one whose answer has changed', () => {
    expect(
      chosen(
        [answer('a', false, 'box'), answer('b', true, 'jar')],
        [answer('a', true, 'box'), answer('b', true, 'jar')],
      ),
    ).toBe('b');
  });

  it('is else one whose answer has changed, and else the one that lost or won most true statements', () => {
    expect(
      chosen(
        [answer('a', true, 'box', 4), answer('b', true, 'box')],
        [answer('a', true, 'box'), answer('b', false, 'box')],
      ),
    ).toBe('b');
    expect(
      chosen(
        [answer('a', true, 'box', 1), answer('b', true, 'box', 4)],
        [answer('a', true, 'box'), answer('b', true, 'box')],
      ),
    ).toBe('b');
  });

  it('is asked at both steps', () => {
    expect(chosen([answer('a', true, 'jar'), answer('b', true, 'box')], [answer('b', true, 'box')])).toBe(
      'b',
    );
  });
});
