/** Metrics behind "More curves". */

type DetailMetric = readonly [
  metric: string,
  title: string,
  unit: string,
  about: string,
  /** Shares are in per cent, on an axis from 0 to 1. Small numbers have an exponent. */
  kind?: 'whole' | 'share' | 'small',
];

const cutOffs =
  'Fraction of completions that reached the token limit; each of them earns the lowest reward. At 100 % nothing is learned: raise the limit.';
const levelGroups =
  'Fraction of prompts whose samples all earned the same: from these GRPO, Dr. GRPO, DAPO and RLOO learn nothing.';
const kl = 'How far the model has moved from its start, per token. With the KL penalty off it stays empty.';
const tokens = 'Tokens per completion, its reasoning, its answer and their tags together.';
const clipped =
  'Fraction of tokens whose gradient is clipped to 0. It stays 0 where a step makes one update of its samples.';
const entropy = 'How undecided each token is, in nats. Near 0 nothing new is tried.';

export const detailMetrics: readonly DetailMetric[] = [
  [
    'loss',
    'Loss',
    'loss of the policy',
    'Mean over the updates of a step. It need not fall: its level means nothing in RL.',
  ],
  ['learning_rate', 'Learning rate', 'step size of Adam', 'The schedule of the optimizer.', 'small'],
  ['clip_ratio/region_mean', 'Clip ratio', 'of the tokens', clipped, 'share'],
  ['completions/mean_length', 'Response length', 'tokens per completion', tokens, 'whole'],
  ['entropy', 'Entropy', 'nats per token', entropy],
  ['kl', 'KL', 'nats per token', kl],
  ['completions/clipped_ratio', 'Cut off', 'of the completions', cutOffs, 'share'],
  ['frac_reward_zero_std', 'Groups without variance', 'of the prompts', levelGroups, 'share'],
  [
    'grad_norm',
    'Gradient norm',
    'norm of the gradient',
    'Before clipping. Sudden peaks warn of an unstable run.',
  ],
  [
    'tokens_per_second/rollout',
    'Sampled tokens per second',
    'tokens per second',
    'Speed of the computer that trained.',
    'whole',
  ],
];
