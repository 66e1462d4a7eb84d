/** A run that learns from gold traces first and then from rewards. */
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import { verdictAgainst } from '../../../src/rl/evaluate/evaluate-at';
import { checkRunConfig } from '../../../src/run/config/check-config';
import { drawVerbosities } from '../../../src/rl/supervised/sft';
import { bandit, constantRate, eventsOf, ofType, recordsOf, smallConfig, warmTable } from '../runs';
import { createTablePolicy } from '../table-policy';
import { measuredAccuracy } from '../../../src/reward/accuracy';

const base = smallConfig();
const config = (changes: Partial<RunConfig> = {}): RunConfig =>
  smallConfig({
    steps: 4,
    warmStart: { updates: 2, examples: 6, full: 0.5, short: 0.25, learningRate: 0.3, warmupUpdates: 0 },
    // Rewards may all be equal; the entropy bonus changes the policy in any case.
    algorithm: {
      ...base.algorithm,
      entropyCoefficient: 0.05,
      kl: { ...base.algorithm.kl, place: 'reward', coefficient: 0.05 },
    },
    optimizer: { ...base.optimizer, ...constantRate, learningRate: 0.05 },
    rollout: { promptsPerStep: 2, samplesPerPrompt: 3, temperature: 1, maxNewTokens: 16 },
    evaluation: { every: 3, items: 4, hardItems: 8, seed: 7 },
    checkpointEvery: 1,
    ...changes,
  });

// resumption in either part: workers/killed-runs.test.ts
describe('a run with a warm start', () => {
  it('has records of supervised steps and steps on rewards, each with its own rate, and an evaluation between them', async () => {
    const events = await eventsOf(createTablePolicy(), config());
    const records = recordsOf(events);
    expect(records.map(({ step, reward }) => [step, reward === undefined])).toEqual([
      [1, true],
      [2, true],
      [3, false],
      [4, false],
    ]);
    expect(records.map(({ learning_rate: rate }) => rate)).toEqual([0.3, 0.3, 0.05, 0.05]);
    expect(records[1].loss).toBeLessThan(records[0].loss);
    expect(ofType(events, 'eval').map(({ report }) => report.step)).toEqual([0, 2, 3, 4]);
  });

  it('measures the KL from the end of the warm start, where Adam restarts', async () => {
    const events = await eventsOf(createTablePolicy(), config());
    const [, border, after] = ofType(events, 'checkpoint').map(({ checkpoint }) => checkpoint);
    expect([border.step, border.policy.updates, after.policy.updates]).toEqual([2, 0, 1]);
    expect(border.policy.reference).toEqual(border.policy.parameters);
    expect(after.policy.reference).toEqual(border.policy.parameters);
    expect(border.policy.moment1.every((value) => value === 0)).toBe(true);
    expect(border.policy.parameters.some((value) => value !== 0)).toBe(true);
    const [first, second] = recordsOf(events).slice(2);
    expect(first.kl).toBeCloseTo(0, 6);
    expect(Math.abs(second.kl)).toBeGreaterThan(1e-5);
  });

  it('has a verdict on the changes since the warm start', async () => {
    const config = smallConfig({
      steps: 22,
      data: { ...base.data, orders: [1, 2] },
      warmStart: { updates: 20, examples: 16, full: 0, learningRate: 0.3, warmupUpdates: 0 },
      optimizer: { ...base.optimizer, learningRate: 0 },
      evaluation: { every: 5, items: 40, finalItems: 160, seed: 7 },
    });
    const events = await eventsOf(await warmTable(), config);
    const evaluations = ofType(events, 'eval');
    expect(evaluations.map(({ report }) => report.step)).toEqual([0, 5, 10, 15, 20, 22]);
    expect(evaluations.map(({ verdict }) => verdict?.against)).toEqual([...Array<undefined>(5), 20]);
    const [start, border, end] = [0, 4, 5].map((place) => evaluations[place]);
    // The warm start taught direct answers, and rewards with a rate of 0 changed nothing.
    const whole = verdictAgainst(start.report, end.report, false, 7)!;
    expect([whole.ending, whole.conditions.silent]).toEqual(['stops thinking', true]);
    const verdict = end.verdict!;
    expect(verdict.ending).toBe('had little to lose');
    expect(verdict.missing.join(' ')).toContain('at the end of the warm start (step 20)');
    expect([verdict.length.ratio.value, verdict.belief.change.value]).toEqual([1, 0]);
    expect(verdict.belief.before).toBe(measuredAccuracy(border.report.belief));
    expect(verdict.sampled?.count).toBe(160);
    expect(ofType(events, 'alert').filter(({ alert }) => alert.code === 'rl/thinking-lost')).toEqual([]);
  });

  it('that consists of its warm start ends with a verdict against its start', async () => {
    const alone = config({ steps: 2 });
    expect(checkRunConfig(alone)).toEqual(alone);
    for (const evaluatesStartLater of [false, true]) {
      const events = await eventsOf(await warmTable(), alone, { evaluatesStartLater });
      expect(recordsOf(events).map(({ step, reward }) => [step, reward])).toEqual([
        [1, undefined],
        [2, undefined],
      ]);
      const [start, end] = ofType(events, 'eval');
      expect([start.report.step, end.report.step]).toEqual([0, 2]);
      expect(end.verdict).toMatchObject({ step: 2, provisional: false });
      expect(events.at(-1)).toEqual({ type: 'done', step: 2 });
    }
  });

  it('is refused before any computation if its items have no gold traces', async () => {
    const data = { ...base.data, source: 'imported:bandit', orders: [0] };
    const imported = { training: bandit };
    const refused = await eventsOf(createTablePolicy(), config({ data }), { imported });
    expect(refused).toEqual([
      { type: 'failed', error: expect.objectContaining({ code: 'rl/no-trace' }) as unknown },
    ]);
    const answers = { updates: 2, examples: 4, full: 0, short: 0 };
    const taken = await eventsOf(createTablePolicy(), config({ data, warmStart: answers }), { imported });
    expect(taken.at(-1)?.type).toBe('done');
  });
});

it('the verbosities of a step are drawn by their shares and depend only on the seed and the step', () => {
  const lesson = { examples: 4000, mix: { full: 0.5, short: 0.3, direct: 0.2 } };
  const drawn = drawVerbosities(lesson, 1, 2);
  const share = (name: string): number => drawn.filter((one) => one === name).length / drawn.length;
  expect(share('full')).toBeCloseTo(0.5, 1);
  expect(share('short')).toBeCloseTo(0.3, 1);
  expect(drawVerbosities(lesson, 1, 2)).toEqual(drawn);
  expect(drawVerbosities(lesson, 1, 3)).not.toEqual(drawn);
  expect(drawVerbosities(lesson, 2, 2)).not.toEqual(drawn);
});
