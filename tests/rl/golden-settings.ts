/**
 * Numbers for the settings beyond the six names, in float64, rounded to 1e-6. `verl` stands for verl's own functions in
 * `core_algos.py` (commit b178a3c) run on these inputs, their gradients by autograd; `trl` for the lines of TRL's
 * `grpo_trainer.py` (commit f2cd577) that compute the same, written out once more in PyTorch; `openrlhf` likewise for the
 * returns of `experience_maker.py` (commit 3c3be62). Log-probabilities and rewards are those of `golden.inputs`.
 */
export const goldenSettings = {
  inputs: {
    /** Per token, and the same for a whole response. */
    advantages: [[1.2, -0.4, 0.9, 0.7], [-1.1, -0.8], [0.3, -1.5, -0.2], [0.95]],
    outcomes: [0.864067, -0.781775, -0.946359, 0.864067],
    entropies: [[1.5, 0.2, 0.9, 0.05], [0.7, 1.1], [0.3, 2, 0.4], [0.6]],
    clipLow: 0.2,
    clipHigh: 0.28,
  },
  verl: {
    gspo: {
      loss: -0.035423,
      gradient: [
        [-0.05821, -0.05821, -0.05821, -0.05821],
        [0.088422, 0.088422],
        [0.078863, 0.078863, 0.078863],
        [-0.216017],
      ],
    },
    cispo: {
      loss: -0.031663,
      clipFraction: 0.3,
      gradient: [[-0.126153, 0.0512, -0.085611, -0.07], [0.09006, 0.08], [-0.0384, 0.12, 0.02], [-0.095]],
    },
    /** `clip_cov_lb` .05, `clip_cov_ub` .4, and a `clip_cov_ratio` of .9, which takes all between the two. */
    clipCov: {
      /** Where the ratio is 1: with `lp_new` as the old policy too. */
      chosen: [[1, 0, 1, 1], [1, 0], [0, 1, 0], [0]],
      /** Where it is not: what the clip has taken already is not chosen. */
      chosenOffPolicy: [[1, 0, 1, 1], [1, 0], [0, 0, 0], [0]],
      loss: 0.140594,
      gradient: [[0, 0.053994, 0, 0], [0, 0.08], [0, 0, 0.02], [-0.095]],
    },
    /** `kl_cov_ratio` .35, `ppo_kl_coef` .1. */
    klCov: {
      chosen: [[0, 0, 1, 1], [1, 0], [0, 0, 0], [0]],
      loss: -0.059581,
      gradient: [
        [-0.126153, 0.053994, -0.095611, -0.07],
        [0.08006, 0.08],
        [-0.040496, 0.111123, 0.02],
        [-0.095],
      ],
    },
    sapo: {
      loss: -0.163318,
      gradient: [
        [-0.078794, 0.032633, -0.053475, -0.04375],
        [0.111562, 0.1],
        [-0.032735, 0.090909, 0.016667],
        [-0.2375],
      ],
    },
  },
  trl: {
    /** The quantile of all ten entropies, and the tokens at or above it. */
    topEntropy: {
      0.35: { chosen: [[1, 0, 1, 0], [0, 1], [0, 1, 0], [0]] },
      0.2: { chosen: [[1, 0, 0, 0], [0, 0], [0, 1, 0], [0]] },
      0: { chosen: [[0, 0, 0, 0], [0, 0], [0, 1, 0], [0]] },
    },
    /** `loss_type="dapo"` with `top_entropy_quantile` .35, beta .1 (k3) and an entropy bonus of .05. */
    topEntropyLoss: {
      loss: -0.037706,
      gradient: [
        [-0.12476, 0.000952, -0.085123, 0],
        [-0.004918, 0.080952],
        [0.000952, 0.001813, 0],
        [0.001813],
      ],
      entropyGradient: [[-0.005, 0, -0.005, 0], [0, -0.005], [0, -0.005, 0], [0]],
    },
    /** `use_adaptive_entropy` from .01 with target .2 and delta .005: entropy, coefficient applied, coefficient after. */
    entropyTarget: [
      [0.5, 0, 0.005],
      [0.19, 0, 0.01],
      [0.2, 0.01, 0.015],
      [0.21, 0.015, 0.01],
      [0.1, 0, 0.015],
      [0.9, 0.015, 0.01],
      [0.9, 0, 0.005],
    ],
    batchScale: {
      rewards: [1.1, 0.1, 0, 1.1, 0.3, 0.9],
      group: [0, 0, 1, 1, 2, 2],
      advantages: [0.984817, -0.984817, -1.083298, 1.083298, -0.59089, 0.59089],
    },
  },
  openrlhf: {
    rlooReturns: [[1, 1.01, 0.99, 1], [-0.99, -1.01], [-1.13, -1.15, -1.1], [1.08]],
  },
} as const;
