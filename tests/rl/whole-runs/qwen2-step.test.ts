/** One whole REINFORCE++ step of two random Qwen2 models, computed in float64, in the plain numbers of this room; the gradients
 * of the weights are held to a model by its own tests. */
import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { computeAdvantages } from '../../../src/objective/advantages';
import { policyLoss } from '../../../src/objective/loss';
import { expectWithin } from '../close';

interface Golden {
  clip_eps: number;
  kl_beta: number;
  rewards: number[];
  old_logprobs: number[][];
  logprobs: number[][];
  ref_logprobs: number[][];
  advantages: number[][];
  loss_token_mean: number;
  loss_seq_mean: number;
}

const steps = JSON.parse(readFileSync(new URL('qwen2-steps.json', import.meta.url), 'utf8')) as Record<
  'qwen2-tied' | 'qwen2-untied',
  Golden
>;

for (const name of ['qwen2-tied', 'qwen2-untied'] as const) {
  describe(`the REINFORCE++ step of ${name}`, () => {
    const golden = steps[name];
    const clip = { clipLow: golden.clip_eps, clipHigh: golden.clip_eps };

    it('has the golden advantages', () => {
      const advantages = computeAdvantages(
        golden.rewards.map((reward, group) => ({
          reward,
          group,
          logprobs: golden.old_logprobs[group],
          refLogprobs: golden.ref_logprobs[group],
        })),
        { name: 'reinforce++', kl: { place: 'reward', coefficient: golden.kl_beta } },
      );
      advantages.forEach((row, i) =>
        row.forEach((value, token) => expectWithin(1e-6, value, golden.advantages[i][token])),
      );
    });

    it('has the golden losses', () => {
      for (const [aggregation, loss] of [
        ['token-mean', golden.loss_token_mean],
        ['sequence-mean', golden.loss_seq_mean],
      ] as const) {
        const report = policyLoss(golden.logprobs, golden.old_logprobs, null, golden.advantages, {
          name: 'reinforce++',
          aggregation,
          ...clip,
        });
        expectWithin(1e-9, report.loss, loss);
      }
    });
  });
}
