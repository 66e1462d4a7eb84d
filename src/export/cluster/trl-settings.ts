/**
 * A run's configuration as the fields of TRL's GRPOConfig or RLOOConfig, read from TRL 1.13's own files. TRL counts
 * optimiser steps where Marble counts batches of rollouts.
 */
import { resolveAlgorithm } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { lose, loseEverywhere, microBatchWithin, refuse, set, updatesPerStep, type Mapped } from './mapping';

export const trlVersion = '1.13';

export interface TrlMapped extends Mapped {
  trainer: 'GRPO' | 'RLOO';
}

/** @throws MarbleError `export/no-counterpart` */
export function trlSettings(config: RunConfig): TrlMapped {
  const algorithm = resolveAlgorithm(config.algorithm);
  const usesRloo =
    algorithm.baseline === 'others-mean' ||
    (algorithm.baseline === 'none' && algorithm.kl.place === 'reward' && algorithm.kl.coefficient > 0);
  const mapped: TrlMapped = {
    config,
    algorithm,
    engine: 'trl',
    trainer: usesRloo ? 'RLOO' : 'GRPO',
    settings: new Map(),
    lost: [],
  };
  loseEverywhere(mapped);
  setRollouts(mapped);
  if (usesRloo) setRloo(mapped);
  else setGrpo(mapped);
  setOptimizer(mapped);
  return mapped;
}

function setRollouts(mapped: Mapped): void {
  const { config, algorithm } = mapped;
  const { rollout, optimizer } = config;
  const whole = rollout.promptsPerStep * rollout.samplesPerPrompt;
  const update = whole / optimizer.miniBatches;
  const micro = microBatchWithin(config, update);
  set(mapped, {
    num_generations: rollout.samplesPerPrompt,
    per_device_train_batch_size: micro,
    gradient_accumulation_steps: update / micro,
    steps_per_generation: whole / micro,
    num_iterations: optimizer.passes,
    max_completion_length: rollout.maxNewTokens,
    temperature: rollout.temperature,
    top_p: 1,
    top_k: 0,
    repetition_penalty: 1,
    mask_truncated_completions: algorithm.maskTruncated,
    shuffle_dataset: false,
    remove_unused_columns: false,
    seed: config.seed % 2 ** 31,
  });
  if (rollout.samplesPerPrompt === 1)
    refuse(mapped, 'One sample for each prompt', 'Set samplesPerPrompt to 2 or more.');
  if (algorithm.resampleRounds > 0)
    lose(
      mapped,
      'algorithm.resampleRounds',
      'groups without variance stay in the batch, with advantages of 0',
    );
}

function setGrpo(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  const { baseline, scale, ratio, kl, aggregation } = algorithm;
  const scales: Record<string, string> = {
    group: 'group',
    none: 'none',
    batch: 'batch',
    'all-tokens': 'batch',
  };
  if (ratio === 'sequence')
    refuse(mapped, 'One ratio for a whole response', 'Set ratio to token, or take rloo.');
  if (aggregation === 'sequence-sum')
    refuse(mapped, 'The aggregation sequence-sum', 'Choose token-mean, sequence-mean or constant-length.');
  if (kl.place === 'reward' && kl.coefficient > 0)
    refuse(mapped, 'KL in the reward with a group baseline', 'Set kl.place to loss, or export to verl.');
  const losses = { 'token-mean': 'dapo', 'sequence-mean': 'grpo', 'constant-length': 'dr_grpo' } as const;
  set(mapped, {
    loss_type: losses[aggregation],
    importance_sampling_level: 'token',
    scale_rewards: scales[scale],
    epsilon: algorithm.clipLow,
    epsilon_high: algorithm.clipHigh,
    delta: algorithm.dualClip > 0 ? algorithm.dualClip : null,
    beta: kl.place === 'loss' ? kl.coefficient : 0,
    entropy_coef: algorithm.entropyCoefficient,
  });
  if (algorithm.entropyCoefficient > 0 && aggregation !== 'token-mean')
    lose(mapped, 'algorithm.entropyCoefficient', 'the bonus is averaged over tokens');
  if (scale === 'all-tokens') {
    lose(
      mapped,
      'algorithm.scale',
      'TRL divides by the deviation of the batch’s rewards, Marble by that over all of its tokens',
    );
    if (baseline === 'none')
      lose(
        mapped,
        'algorithm.name',
        'REINFORCE++ without a baseline is not in TRL: each group’s mean is taken from its rewards',
      );
    if (algorithm.gamma !== 1) refuse(mapped, 'Discounting (gamma)', 'Set gamma to 1, or export to verl.');
  }
  if (scale === 'group') lose(mapped, 'deviation + 1e-6', 'TRL adds 1e-4 to a group’s deviation');
  if (kl.place === 'loss' && kl.coefficient > 0) {
    if (kl.estimator === 'k1') refuse(mapped, 'The estimator k1 in the loss', 'Set kl.estimator to k3, or export to verl.'); // prettier-ignore
    if (kl.estimator === 'k2')
      lose(mapped, 'algorithm.kl.estimator', 'TRL has k3 in the loss where this run has k2');
    if (kl.target > 0) lose(mapped, 'algorithm.kl.target', 'the coefficient stays fixed');
  }
  if (updatesPerStep(config) > 1 && config.optimizer.miniBatches > 1)
    lose(
      mapped,
      'optimizer.miniBatches',
      'the mini-batches hold other rollouts: each engine shuffles its own way',
    );
}

function setRloo(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  const { kl, ratio, baseline } = algorithm;
  if (baseline === 'others-mean' && algorithm.scale !== 'none')
    refuse(mapped, `The scale "${algorithm.scale}" of RLOO’s advantages`, 'Leave algorithm.scale out.');
  if (algorithm.entropyCoefficient > 0)
    refuse(
      mapped,
      'An entropy bonus with KL in the reward',
      'Set entropyCoefficient to 0, or export to verl.',
    );
  if (kl.place === 'loss' && kl.coefficient > 0)
    refuse(mapped, 'KL in the loss of RLOO', 'Set kl.place to reward, or export to verl.');
  if (algorithm.gamma !== 1) refuse(mapped, 'Discounting (gamma)', 'Set gamma to 1, or export to verl.');
  if (kl.place === 'reward' && kl.coefficient > 0 && kl.estimator !== 'k1')
    refuse(
      mapped,
      `The estimator ${kl.estimator} in the reward`,
      'Set kl.estimator to k1, or export to verl.',
    );
  set(mapped, {
    normalize_advantages: baseline === 'none',
    epsilon: algorithm.clipLow,
    epsilon_high: algorithm.clipHigh,
    beta: kl.place === 'reward' ? kl.coefficient : 0,
  });
  if (baseline === 'none') {
    lose(mapped, 'algorithm.name', 'REINFORCE++ is not in TRL: RLOO with advantages normalised over the batch stands for it, whose baseline is the mean of the other samples'); // prettier-ignore
  }
  if (ratio !== 'sequence') {
    lose(
      mapped,
      'algorithm.aggregation',
      'RLOO sums over a response’s tokens and averages over responses; the step’s direction is that of the token mean',
    );
    if (updatesPerStep(config) > 1)
      lose(mapped, 'algorithm.ratio', 'RLOO has one ratio for a whole response');
  }
  if (kl.credit === 'token' && kl.place === 'reward')
    lose(
      mapped,
      'algorithm.kl.credit',
      'the divergence is summed over a response and taken from its outcome',
    );
  if (algorithm.dualClip > 0) lose(mapped, 'algorithm.dualClip', 'RLOO has no second clip');
  if (kl.target > 0) lose(mapped, 'algorithm.kl.target', 'the coefficient stays fixed');
}

function setOptimizer(mapped: Mapped): void {
  const { config } = mapped;
  const { optimizer } = config;
  const updates = updatesPerStep(config);
  set(mapped, {
    learning_rate: optimizer.learningRate,
    adam_beta1: optimizer.beta1,
    adam_beta2: optimizer.beta2,
    adam_epsilon: optimizer.epsilon,
    weight_decay: optimizer.weightDecay,
    max_grad_norm: optimizer.maxGradNorm,
    warmup_steps: optimizer.warmupSteps * updates,
    max_steps: config.steps * updates,
    save_steps: config.checkpointEvery * updates,
    logging_steps: 1,
  });
  if (optimizer.finalFraction === 1) set(mapped, { lr_scheduler_type: 'constant_with_warmup' });
  else {
    const last = optimizer.finalFraction;
    set(mapped, {
      lr_scheduler_type: optimizer.decay === 'cosine' ? 'cosine_with_min_lr' : 'polynomial',
      lr_scheduler_kwargs:
        optimizer.decay === 'cosine'
          ? `{"min_lr_rate": ${last}}`
          : `{"lr_end": ${optimizer.learningRate * last}, "power": 1.0}`,
    });
    lose(mapped, 'optimizer.finalFraction', 'is reached one step after the last');
  }
  lose(
    mapped,
    'evaluation.every',
    'run-trl.py answers val.parquet greedily before the first step and after the last; there are no looks in between',
  );
}
