/** Metrics behind "More curves". */
import type { recordedMetrics } from '../../../run/recording/recording-file';

interface DetailMetric {
  metric: (typeof recordedMetrics)[number];
  title: string;
  /** What its axis counts. */
  unit: string;
  about: string;
  isWhole?: boolean;
  /** Shares are written in per cent, on an axis from 0 to 1. */
  isShare?: boolean;
}

export const detailMetrics: readonly DetailMetric[] = [
  {
    metric: 'completions/mean_length',
    title: 'Response length',
    unit: 'tokens per completion',
    isWhole: true,
    about: 'Tokens per completion, its reasoning, its answer and their tags together.',
  },
  {
    metric: 'entropy',
    title: 'Entropy',
    unit: 'nats per token',
    about: 'How undecided each token is, in nats. Near 0 nothing new is tried.',
  },
  {
    metric: 'kl',
    title: 'KL',
    unit: 'nats per token',
    about: 'How far the model has moved from its start, per token. With the KL penalty off it stays empty.',
  },
  {
    metric: 'completions/clipped_ratio',
    title: 'Cut off',
    unit: 'of the completions',
    about:
      'Fraction of completions that reached the token limit; each of them earns the lowest reward. At 100 % nothing is learned: raise the limit.',
    isShare: true,
  },
  {
    metric: 'frac_reward_zero_std',
    title: 'Groups without variance',
    unit: 'of the prompts',
    about:
      'Fraction of prompts whose samples all earned the same: from these GRPO, Dr. GRPO and RLOO learn nothing.',
    isShare: true,
  },
  {
    metric: 'grad_norm',
    title: 'Gradient norm',
    unit: 'norm of the gradient',
    about: 'Before clipping. Sudden peaks warn of an unstable run.',
  },
  {
    metric: 'tokens_per_second/rollout',
    title: 'Sampled tokens per second',
    unit: 'tokens per second',
    isWhole: true,
    about: 'Speed of this computer.',
  },
];
