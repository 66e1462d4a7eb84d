import { describe, expect, it } from 'vitest';
import { rungs } from '../../../src/run/recording/recording-file';
import { chooseStep, groupToShow, placeIn } from '../../../src/app/update/prompt-groups';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { readRecording } from '../../fixtures/recordings';

/** One sample of a prompt: its advantage, and the change of its only token. */
const sample = (group: number, advantage: number, change: number | null): Rollout =>
  ({
    group,
    advantage,
    reward: { total: advantage },
    ...(change !== null && {
      byToken: { texts: ['box'], advantages: [advantage], before: [-1], after: [-1 + change] },
    }),
  }) as unknown as Rollout;

const astray = [sample(0, 1, 0.5), sample(0, -1, 0.5)];
const example = [sample(1, 1, 0.5), sample(1, -1, -0.5)];
const equal = [sample(0, 1, 0.5), sample(0, 1, 0.5)];

const choose = (...steps: Rollout[][]) =>
  chooseStep(
    steps.map((_, index) => index + 1),
    (step) => Promise.resolve(steps[step - 1]),
  );

describe('the step that the page begins with', () => {
  it('is the first that shows the rule, after any number of others', async () => {
    const rule = expect.stringContaining('moved as its advantage points') as string;
    expect(await choose(equal, astray, example)).toEqual({ rollouts: example, reason: rule });
    expect((await choose(example, astray)).rollouts).toBe(example);
  });

  it('is the first with different rewards where none shows the rule, as in runs without figures per token', async () => {
    const plain = [sample(0, 1, null), sample(0, -1, null)];
    const rewards = expect.stringContaining('different rewards') as string;
    expect(await choose(equal, plain, astray, equal)).toEqual({ rollouts: plain, reason: rewards });
  });

  it('is the last where all rewards are equal', async () => {
    expect(await choose(equal, [...equal])).toEqual({ rollouts: equal, reason: null });
    expect(await choose()).toEqual({ rollouts: [], reason: null });
  });

  it('shows the rule in every recording', async () => {
    for (const { preset } of rungs) {
      const { rollouts } = readRecording(preset);
      const steps = [...new Set(rollouts.map(({ step }) => step))];
      const load = (step: number) => Promise.resolve(rollouts.filter((rollout) => rollout.step === step));
      expect((await chooseStep(steps, load)).reason).toMatch(/moved as its advantage/);
    }
  });
});

it('a sample is found in its batch, also in one that leaves samples out', () => {
  const batch = { step: 1, groups: [7, 7, 9], rewards: [], tokens: [], advantages: [] };
  const placeOf = (group: number, at: number, samples?: number[]) =>
    placeIn({ ...batch, ...(samples && { samples }) }, { ...sample(group, 1, null), sample: at });
  expect([placeOf(7, 1), placeOf(9, 0), placeOf(9, 1)]).toEqual([1, 2, -1]);
  expect([placeOf(7, 2, [0, 2, 1]), placeOf(7, 1, [0, 2, 1])]).toEqual([1, -1]);
});

it('of one step the prompt that shows the rule comes first, before one with an exception', () => {
  expect(groupToShow([...astray, ...example])).toBe(1);
  expect(
    groupToShow([sample(0, 1, null), sample(0, -1, null), ...astray.map((one) => ({ ...one, group: 1 }))]),
  ).toBe(1);
});
