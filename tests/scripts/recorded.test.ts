import { describe, expect, it } from 'vitest';
import { keepsRolloutsOf, recorded } from '../../scripts/record/recorded';
import type { TrainerEvent } from '../../src/run/record/events';
import { historyOf } from '../../src/run/record/history';
import type { Rollout } from '../../src/run/record/rollout-record';
import { evalReport, verdict } from '../run/verdict/verdicts';

const rollout = (group: number, sample: number, shortcutAnswer: string | null): Rollout =>
  ({
    step: 10,
    group,
    sample,
    goldAnswer: 'box',
    shortcutAnswer,
    tokens: 7,
    finished: true,
    reward: { total: group + sample },
    advantage: -1,
  }) as Rollout;

const { overall } = evalReport();
const outcomes = { order: '1', correct: '1', shortcutRight: '0', answers: '5', trace: 'f', thinkTokens: [3] };
const sampled = { temperature: 1, belief: overall, factual: overall, correct: '1' };
const events: TrainerEvent[] = [
  { type: 'eval', report: evalReport({ outcomes, sampled }) },
  { type: 'step', record: { step: 1, reward: 0.25, 'step_time/nobody_draws_this': 12 } },
  { type: 'step', record: { step: 2, reward: 0.5 } },
  { type: 'step', record: { step: 2, reward: 0.75 } }, // repeated after a resume from step 1
  { type: 'eval', report: evalReport({ step: 2 }), verdict: verdict({ ending: 'stops thinking' }) },
];

describe('a recording', () => {
  const history = historyOf(events);

  it('has the charted metrics of each step, and evaluations without the outcomes of single items', () => {
    const { records, evals } = recorded(history, []);
    expect(records).toEqual([
      { step: 1, reward: 0.25 },
      { step: 2, reward: 0.75 },
    ]);
    const [start, end] = evals;
    expect(start.report.outcomes).toBeUndefined();
    expect(start.report.sampled).toMatchObject({ temperature: 1, correct: '' });
    expect(end.verdict?.ending).toBe('stops thinking');
  });

  it('has the texts of two prompts of a kept step, and the reward of every sample', () => {
    expect([1, 2, 9, 10, 11, 20].filter(keepsRolloutsOf)).toEqual([1, 10, 20]);
    const step = [rollout(0, 0, 'box'), rollout(1, 0, null), rollout(2, 0, 'bag'), rollout(3, 1, 'bag')];
    const { rollouts, batches } = recorded(history, [step]);
    expect(rollouts.map(({ group }) => group)).toEqual([0, 2]);
    const [{ groups, rewards, tokens, advantages }] = batches;
    expect([groups, rewards, tokens, advantages].map((values) => [...values])).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 4],
      [7, 7, 7, 7],
      [-1, -1, -1, -1],
    ]);
  });
});
