import { describe, expect, it } from 'vitest';
import { ladderHash, readLadder } from '../../../src/app/ladder/ladder';
import { answerOf, curvesOf, judgedEnding, questionOf, rungs } from '../../../src/app/ladder/rung';
import { shortThought } from '../../../src/app/story/answer-text';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { readRecording } from '../../fixtures/recordings';

const recordings = rungs.map(({ preset }) => readRecording(preset));

describe('what the ladder shows', () => {
  it('has a recording of each of its presets, whole and judged', () => {
    recordings.forEach(({ config, records, evals, elapsed }, index) => {
      expect(config).toEqual(presets[rungs[index].preset]);
      const { reward, thinking, hard, easy } = curvesOf(records, evals);
      expect([reward, thinking, hard, easy].map(({ values }) => values.length)).toEqual([
        config.steps,
        config.steps,
        evals.length,
        evals.length,
      ]);
      expect(elapsed).toHaveLength(config.steps + 1); // and the last evaluation
      expect(judgedEnding(evals)).not.toBeNull();
    });
  });

  it('asks the three the same questions at the same step', () => {
    const questions = recordings.map(({ rollouts }) =>
      [...new Set(rollouts.map(({ step }) => step))].map((at) =>
        questionOf(answerOf(rollouts.filter(({ step }) => step === at))!),
      ),
    );
    expect(questions[0].length).toBeGreaterThan(5);
    expect(questions[1]).toEqual(questions[0]);
    expect(questions[2]).toEqual(questions[0]);
  });

  it('draws nothing of a run that has no step yet', () => {
    for (const { steps } of Object.values(curvesOf(emptyHistory.steps, emptyHistory.evals)))
      expect(steps).toEqual([]);
    expect(answerOf([])).toBeNull();
  });

  it('shortens a thought to its first statement and its last', () => {
    expect(shortThought('start box ; ann tin seen ann ; so tin')).toBe('start box · … · so tin');
    expect(shortThought('so tin')).toBe('so tin');
  });

  it('reads the seed and the guesses of its own address alone', () => {
    const sent = { seed: 77, guesses: { small: 'stops', large: 'keeps' } } as const;
    expect(readLadder(ladderHash(sent.seed, sent.guesses))).toEqual(sent);
    expect(readLadder('#ladder=77&small=wins')).toEqual({ seed: 77, guesses: {} });
    expect(readLadder('#v=1&preset=ladder-12k')).toBeNull();
  });
});
