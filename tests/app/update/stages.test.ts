import { h } from 'preact';
import { describe, expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { UpdatePanel } from '../../../src/app/update/update-panel';
import { textOf } from '../../fixtures/little-dom';
import { stagesOf, stageWords } from '../../../src/app/update/stages';
import { batchOf, type StepBatch } from '../../../src/run/recording/step-batch';
import { computeAdvantages } from '../../../src/objective/advantages';
import { algorithms } from '../../../src/objective/algorithm';
import { rollout } from '../../share/run-content';

/** Two prompts of two samples each. */
const batch: StepBatch = {
  step: 1,
  groups: [0, 0, 1, 1],
  rewards: [3, -1, 2, 2],
  tokens: [10, 10, 10, 10],
  advantages: [0, 0, 0, 0],
};
const rounded = (values: readonly number[]): number[] => values.map((value) => Number(value.toFixed(4)));

const algorithmsWithoutKl = Object.values(algorithms).map((algorithm) => ({
  ...algorithm,
  kl: { ...algorithm.kl, place: 'none' as const },
}));

describe('the rewards of a step', () => {
  it('are compared by tokens in REINFORCE++, so that longer completions count more', () => {
    const longer = { ...batch, tokens: [30, 10, 10, 10] };
    expect(rounded(stagesOf(longer, algorithms['reinforce++']).centred)).toEqual([1, -3, 0, 0]);
    expect(stagesOf(longer, algorithms.grpo).centred).toEqual([2, -2, 0, 0]);
    expect(rounded(stagesOf(longer, algorithms['reinforce++-baseline']).centred)).toEqual([
      1.3333, -2.6667, -0.6667, -0.6667,
    ]);
  });

  it('are written with both means if the batch is centred after the prompt', () => {
    const settings = algorithms['reinforce++-baseline'];
    expect(stageWords(settings)).toEqual([
      'minus the mean of its prompt and that of the batch',
      'over the spread of the batch',
    ]);
  });

  it('are those of the samples that take part in training', () => {
    const masks = (maskTruncated: boolean) => {
      const { algorithm, ...others } = presets['ladder-25k'];
      return { ...others, algorithm: { ...algorithm, maskTruncated } };
    };
    const both = [rollout, { ...rollout, finished: false }];
    expect(batchOf(both, masks(true)).rewards).toEqual([3]);
    const panel = (rollouts: (typeof rollout)[]) => {
      const config = { ...presets['ladder-25k'], ...masks(true) };
      return textOf(h(UpdatePanel, { config, batch: batchOf(rollouts, config), rollouts, why: null }));
    };
    expect(panel([{ ...rollout, sample: 1, finished: false }, rollout])).toContain(' earned 3; ');
    expect(panel([{ ...rollout, finished: false }])).toContain('No sample takes part in this update.');
    expect(batchOf(both, masks(false)).rewards).toEqual([3, 3]);
  });

  it.each(algorithmsWithoutKl)('are compared with masked samples as by the trainer: $name', (algorithm) => {
    const totals = [3, -1, 2, 2, 0, 3];
    const samples = totals.map((total, i) => ({
      ...rollout,
      ...{ group: i >> 1, sample: i % 2, tokens: 4 + i, finished: ![1, 4, 5].includes(i) },
      reward: { ...rollout.reward, total },
    }));
    const inputs = samples.map(({ reward, group, tokens, finished }) => ({
      ...{ reward: reward.total, group, logprobs: new Float64Array(tokens) },
      ...(finished ? {} : { mask: new Uint8Array(tokens) }),
    }));
    const trained = computeAdvantages(inputs, algorithm).filter((_, i) => samples[i].finished);
    const { rollout: drawn } = presets['ladder-25k'];
    const masking = batchOf(samples, { rollout: drawn, algorithm: { ...algorithm, maskTruncated: true } });
    expect(masking.rewards).toEqual([3, 2, 2]);
    expect(stagesOf(masking, algorithm).scaled).toEqual(trained.map(([first]) => first));
  });
});
