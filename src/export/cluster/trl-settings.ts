/**
 * A run's configuration as fields of TRL's GRPOConfig or RLOOConfig, based on the source of TRL 1.13. TRL 1.16 takes the same
 * steps. TRL counts optimiser steps, Marble batches of rollouts.
 */
import { resolveAlgorithm, type ResolvedAlgorithm } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { lose, loseEverywhere, microBatchWithin, refuse, set, updatesPerStep, type Mapped } from './mapping';

export const trlVersion = '1.16';

/** @throws MarbleError `export/no-counterpart` */
export function trlSettings(config: RunConfig): Mapped {
  const algorithm = resolveAlgorithm(config.algorithm);
  const usesRloo =
    algorithm.baseline === 'others-mean' ||
    (algorithm.baseline === 'none' && algorithm.kl.place === 'reward' && algorithm.kl.coefficient > 0);
  const trainer = usesRloo ? 'RLOO' : 'GRPO';
  const mapped: Mapped = { config, algorithm, engine: 'trl', trainer, settings: new Map(), lost: [] };
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
  refuse(mapped, {
    'One sample for each prompt': rollout.samplesPerPrompt === 1 && 'Set samplesPerPrompt to 2 or more.',
  });
  lose(mapped, {
    'algorithm.resampleRounds':
      algorithm.resampleRounds > 0 && 'groups without variance stay in the batch, with advantages of 0',
  });
}

const lossTypes: Record<ResolvedAlgorithm['aggregation'], string | null> = {
  'token-mean': 'dapo',
  'sequence-mean': 'grpo',
  'constant-length': 'dr_grpo',
  'sequence-sum': null, // refused
};

function setGrpo(mapped: Mapped): void {
  const { algorithm } = mapped;
  const { baseline, scale, ratio, kl, aggregation, entropyCoefficient } = algorithm;
  const overTokens = scale === 'all-tokens';
  const inLoss = kl.place === 'loss' && kl.coefficient > 0;
  refuse(mapped, {
    'One ratio for a whole response': ratio === 'sequence' && 'Set ratio to token, or choose rloo.',
    'The aggregation sequence-sum':
      aggregation === 'sequence-sum' && 'Choose token-mean, sequence-mean or constant-length.',
    'KL in the reward with a group baseline':
      kl.place === 'reward' && kl.coefficient > 0 && 'Set kl.place to loss, or export to verl.',
    'Discounting (gamma)': overTokens && algorithm.gamma !== 1 && 'Set gamma to 1, or export to verl.',
    'The estimator k1 in the loss':
      inLoss && kl.estimator === 'k1' && 'Set kl.estimator to k3, or export to verl.',
  });
  set(mapped, {
    loss_type: lossTypes[aggregation],
    importance_sampling_level: 'token',
    scale_rewards: overTokens ? 'batch' : scale,
    epsilon: algorithm.clipLow,
    epsilon_high: algorithm.clipHigh,
    delta: algorithm.dualClip > 0 ? algorithm.dualClip : null,
    beta: kl.place === 'loss' ? kl.coefficient : 0,
    entropy_coef: entropyCoefficient,
  });
  lose(mapped, {
    'algorithm.entropyCoefficient':
      entropyCoefficient > 0 && aggregation !== 'token-mean' && 'the bonus is averaged over tokens',
    'algorithm.scale':
      overTokens &&
      'TRL divides by the standard deviation of the batch’s rewards, Marble by that over all tokens of the batch',
    'algorithm.name':
      overTokens &&
      baseline === 'none' &&
      'TRL has no REINFORCE++ without a baseline: it subtracts each group’s mean from its rewards',
    'deviation + 1e-6': scale === 'group' && 'TRL adds 1e-4 to a group’s standard deviation',
    'algorithm.kl.estimator': inLoss && kl.estimator === 'k2' && 'TRL uses k3 in the loss, this run k2',
    'algorithm.kl.target': inLoss && kl.target > 0 && 'the coefficient stays fixed',
  });
}

function setRloo(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  const { kl, ratio, baseline, scale } = algorithm;
  const inReward = kl.place === 'reward' && kl.coefficient > 0;
  refuse(mapped, {
    [`The scale "${scale}" of RLOO’s advantages`]:
      baseline === 'others-mean' && scale !== 'none' && 'Remove algorithm.scale.',
    'An entropy bonus with KL in the reward':
      algorithm.entropyCoefficient > 0 && 'Set entropyCoefficient to 0, or export to verl.',
    'KL in the loss of RLOO':
      kl.place === 'loss' && kl.coefficient > 0 && 'Set kl.place to reward, or export to verl.',
    'Discounting (gamma)': algorithm.gamma !== 1 && 'Set gamma to 1, or export to verl.',
    [`The estimator ${kl.estimator} in the reward`]:
      inReward && kl.estimator !== 'k1' && 'Set kl.estimator to k1, or export to verl.',
  });
  set(mapped, {
    normalize_advantages: baseline === 'none',
    epsilon: algorithm.clipLow,
    epsilon_high: algorithm.clipHigh,
    beta: kl.place === 'reward' ? kl.coefficient : 0,
  });
  lose(mapped, {
    'algorithm.name':
      baseline === 'none' &&
      'TRL has no REINFORCE++: RLOO with advantages normalised over the batch replaces it; its baseline is the mean of the other samples',
    'algorithm.aggregation':
      ratio !== 'sequence' &&
      'RLOO sums over a response’s tokens and averages over responses; the update has the direction of the token mean',
    'algorithm.ratio':
      ratio !== 'sequence' && updatesPerStep(config) > 1 && 'RLOO has one ratio for a whole response',
    'algorithm.kl.credit':
      kl.credit === 'token' &&
      kl.place === 'reward' &&
      'the divergence is summed over a response and subtracted from its outcome',
    'algorithm.dualClip': algorithm.dualClip > 0 && 'RLOO has no dual clip',
    'algorithm.kl.target': kl.target > 0 && 'the coefficient stays fixed',
  });
}

function setOptimizer(mapped: Mapped): void {
  const { config } = mapped;
  const { optimizer } = config;
  const updates = updatesPerStep(config);
  const last = optimizer.finalFraction;
  const schedules: Record<string, [type: string, kwargs?: string]> = {
    constant: ['constant_with_warmup'],
    cosine: ['cosine_with_min_lr', `{"min_lr_rate": ${last}}`],
    linear: ['polynomial', `{"lr_end": ${optimizer.learningRate * last}, "power": 1.0}`],
  };
  const [type, kwargs] = schedules[last === 1 ? 'constant' : optimizer.decay];
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
    lr_scheduler_type: type,
    lr_scheduler_kwargs: kwargs,
  });
  lose(mapped, {
    'optimizer.miniBatches':
      optimizer.miniBatches > 1 &&
      'the mini-batches contain other rollouts, since the engines shuffle differently',
    'evaluation.every': 'run-trl.py does not evaluate; Marble evaluates the trained weights',
  });
}
