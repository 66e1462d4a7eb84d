import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answeredTwice, byClarity, changeOf } from '../../../src/app/story/clearest-change';
import { recordingOf, type Recording } from '../../../src/app/start/recording';
import { presetDescriptions, presetNames } from '../../../src/app/start/preset-descriptions';
import { recordingFiles } from '../../../src/app/start/recorded-presets';
import { presets } from '../../../src/run/config/presets';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { evalReport } from '../../run/verdict/verdicts';

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
});

describe('the recordings', () => {
  const read = (preset: string): Recording =>
    JSON.parse(
      readFileSync(join(import.meta.dirname, '..', '..', '..', 'public', recordingFiles[preset]), 'utf8'),
    ) as Recording;
  const thinkLengths = ({ evals }: Recording): [number, number] => [
    evals[0].report.meanThinkLength,
    evals[evals.length - 1].report.meanThinkLength,
  ];

  it('bear out what stands above them: under one reward that rises, one thinks in vain, one stops thinking, and one thinks on', () => {
    const inVain = read('swap-shortcut');
    const stops = read('swap-collapse');
    const better = read('nano-order-1');
    for (const { records, config } of [inVain, stops, better]) {
      const fifth = Math.floor(records.length / 5);
      const mean = (part: typeof records): number =>
        part.reduce((sum, { reward }) => sum + reward, 0) / part.length;
      expect(mean(records.slice(-fifth))).toBeGreaterThan(mean(records.slice(0, 3)));
      expect(config.reward.preset).toBe('logic-rl');
    }
    const last = ({ evals }: Recording) => evals[evals.length - 1];
    // The starts of the first two can hardly reason where the shortcut is wrong; the second fell silent.
    expect([inVain, stops, better].map((recording) => last(recording).verdict?.ending)).toEqual([
      ...['cannot be told', 'stops thinking', 'thinks better'],
    ]);
    expect(last(inVain).verdict?.conditions).toMatchObject({ silent: false, wrongHalved: true });
    expect(last(stops).verdict?.conditions.silent).toBe(true);
    const [longBefore, longNow] = thinkLengths(stops);
    expect(longNow).toBeLessThan(0.1 * longBefore);
    const [before, now] = thinkLengths(better);
    expect(now).toBeGreaterThan(0.95 * before);
    const first = better.evals[0].report;
    const { report } = last(better);
    expect(report.shortcutWrong.accuracy).toBeGreaterThan(first.shortcutWrong.high - 0.005);
    expect(report.overall.accuracy).toBeGreaterThan(first.overall.high);
  });

  it('hold what every picture of the page is drawn from', () => {
    for (const preset of Object.keys(recordingFiles)) {
      const { batches, rollouts, records, config } = read(preset);
      const samples = config.rollout.promptsPerStep * config.rollout.samplesPerPrompt;
      expect(batches.map(({ rewards }) => rewards.length)).toEqual(batches.map(() => samples));
      expect([...new Set(rollouts.map(({ step }) => step))]).toEqual(batches.map(({ step }) => step));
      expect(records.every((record) => 'think/mean_length' in record)).toBe(true);
    }
  });

  it('show a question that became right, and where accuracy fell one that became wrong', () => {
    for (const preset of Object.keys(recordingFiles)) {
      const { evals } = read(preset);
      const last = evals[evals.length - 1];
      const changes = byClarity(answeredTwice(evals[0], last)).map(changeOf);
      expect(changes).toContain('became right');
      const isWorse = last.verdict?.ending !== 'thinks better';
      expect(changes.includes('became wrong')).toBe(isWorse);
      if (isWorse) expect(changes[0]).toBe('became wrong');
    }
  });
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
    // One of each kind stands first, whatever else has changed.
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
