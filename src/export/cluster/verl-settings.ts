/**
 * A run's configuration as overrides for verl, based on the source of verl 0.9.0 (`verl/trainer/config`, `core_algos.py`,
 * `transformer_impl.py` of its FSDP engine). `$FOLDER` is the folder of the export.
 */
import { resolveAlgorithm, type KlConfig, type ResolvedAlgorithm } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { lose, loseEverywhere, microBatchWithin, refuse, set, updatesPerStep, type Mapped } from './mapping';

export const verlVersion = '0.9.0';

/** Keys that verl reads but its yaml does not list. Hydra requires a plus before them. */
export const addedVerlKeys = [
  'reward.reward_kwargs.overlong_buffer_cfg.enable',
  'reward.reward_kwargs.overlong_buffer_cfg.len',
  'reward.reward_kwargs.overlong_buffer_cfg.penalty_factor',
  'reward.reward_kwargs.overlong_buffer_cfg.log',
  'reward.reward_kwargs.max_resp_len',
] as const;

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';
const model = 'actor_rollout_ref.model';

/** verl's names of the KL estimators. Marble does not have verl's `abs` and `full`. */
const klNames: Record<KlConfig['estimator'], string> = { k1: 'kl', k2: 'mse', k3: 'low_var_kl' };

/** Disables verl's dual clip, which must be above 1. */
const NO_DUAL_CLIP = 1e6;

/**
 * @param longestPrompt length in tokens
 * @throws MarbleError `export/no-counterpart`
 */
export function verlSettings(config: RunConfig, longestPrompt: number): Mapped {
  const algorithm = resolveAlgorithm(config.algorithm);
  const mapped: Mapped = { config, algorithm, engine: 'verl', settings: new Map(), lost: [] };
  loseEverywhere(mapped);
  setData(mapped, longestPrompt);
  setModel(mapped);
  setAdvantages(mapped);
  setDivergence(mapped);
  setLoss(mapped);
  setLengthTerms(mapped);
  setOptimizer(mapped);
  return mapped;
}

function setData(mapped: Mapped, longestPrompt: number): void {
  const { preset, seed, steps, rollout: sampling, evaluation, checkpointEvery } = mapped.config;
  set(mapped, {
    'data.train_files': '$FOLDER/train.parquet',
    'data.val_files': '$FOLDER/val.parquet',
    'data.shuffle': false,
    'data.seed': seed % 2 ** 31,
    'data.train_batch_size': sampling.promptsPerStep,
    'data.max_prompt_length': longestPrompt,
    'data.max_response_length': sampling.maxNewTokens,
    'data.truncation': 'error',
    [`${rollout}.n`]: sampling.samplesPerPrompt,
    [`${rollout}.temperature`]: sampling.temperature,
    [`${rollout}.name`]: 'vllm',
    [`${rollout}.tensor_model_parallel_size`]: 1,
    [`${rollout}.seed`]: seed % 2 ** 31,
    'reward.custom_reward_function.path': '$FOLDER/reward.py',
    'reward.custom_reward_function.name': 'compute_score',
    'trainer.total_epochs': 1,
    'trainer.total_training_steps': steps,
    'trainer.test_freq': evaluation.every,
    'trainer.save_freq': checkpointEvery,
    'trainer.nnodes': 1,
    'trainer.n_gpus_per_node': 1,
    'trainer.project_name': 'marble',
    'trainer.experiment_name': preset,
    'trainer.logger': ['console', 'file'],
    'trainer.default_local_dir': '$FOLDER/checkpoints',
  });
}

function setModel(mapped: Mapped): void {
  const { training, model: trained } = mapped.config;
  const lora = training.mode === 'lora' ? training : null;
  const dtype = trained.kind === 'embedded' ? 'float32' : undefined;
  set(mapped, {
    [`${model}.path`]: '$MODEL',
    [`${model}.tokenizer_path`]: '$FOLDER/tokenizer',
    // The prompts are already rendered.
    [`${model}.custom_chat_template`]: '"{% for message in messages %}{{ message.content }}{% endfor %}"',
    [`${model}.lora_rank`]: lora?.rank,
    [`${model}.lora_alpha`]: lora?.alpha,
    [`${model}.target_modules`]: lora ? 'all-linear' : undefined,
    [`${rollout}.load_format`]: lora ? 'safetensors' : undefined,
    [`${model}.lora_adapter_path`]: lora?.adapter === undefined ? undefined : '$FOLDER/adapter',
    [`${actor}.fsdp_config.dtype`]: dtype,
    'actor_rollout_ref.ref.fsdp_config.dtype': dtype,
    [`${rollout}.dtype`]: dtype,
  });
  lose(mapped, {
    '32-bit numbers': dtype === undefined && 'verl computes in bfloat16, with 32-bit weights',
  });
}

const estimators: Readonly<Record<string, string | undefined>> = {
  'none all-tokens': 'reinforce_plus_plus',
  'group-mean all-tokens': 'reinforce_plus_plus_baseline',
  'group-mean group': 'grpo',
  'group-mean none': 'grpo',
  'others-mean none': 'rloo',
};

function setAdvantages(mapped: Mapped): void {
  const { baseline, scale, gamma, convention, name } = mapped.algorithm;
  const estimator = estimators[`${baseline} ${scale}`];
  refuse(mapped, {
    [`The scale "${scale}" of the advantages of ${name}`]:
      estimator === undefined && 'Remove algorithm.scale.',
  });
  set(mapped, {
    'algorithm.adv_estimator': estimator,
    'algorithm.norm_adv_by_std_in_grpo': estimator === 'grpo' ? scale === 'group' : undefined,
    'algorithm.gamma': estimator === 'reinforce_plus_plus' ? gamma : undefined,
  });
  if (scale !== 'all-tokens') return;
  lose(mapped, {
    'algorithm.convention':
      convention === 'openrlhf' &&
      'verl divides by the sample standard deviation (Bessel’s correction), a relative difference of 1 / (2 x tokens)',
    'outcomes clamped to [-10, 10]': 'verl does not clamp; no reward preset exceeds these limits',
  });
}

function setDivergence(mapped: Mapped): void {
  const { kl, baseline } = mapped.algorithm;
  if (kl.place === 'none' || kl.coefficient === 0) return;
  if (kl.place === 'loss') {
    set(mapped, {
      [`${actor}.use_kl_loss`]: true,
      [`${actor}.kl_loss_coef`]: kl.coefficient,
      [`${actor}.kl_loss_type`]: klNames[kl.estimator],
    });
    lose(mapped, {
      'algorithm.kl.target': kl.target > 0 && 'the coefficient of a KL loss stays fixed in verl',
    });
    return;
  }
  const isAdaptive = kl.target > 0;
  set(mapped, {
    'algorithm.use_kl_in_reward': true,
    'algorithm.kl_penalty': klNames[kl.estimator],
    'algorithm.kl_ctrl.type': isAdaptive ? 'adaptive' : 'fixed',
    'algorithm.kl_ctrl.kl_coef': kl.coefficient,
    'algorithm.kl_ctrl.target_kl': isAdaptive ? kl.target : undefined,
    'algorithm.kl_ctrl.horizon': isAdaptive ? kl.horizon : undefined,
  });
  const verlCredit = baseline === 'none' ? 'token' : 'response';
  const target = verlCredit === 'token' ? 'the return at each token' : 'the outcome of the whole response';
  lose(mapped, {
    'algorithm.kl.credit': kl.credit !== verlCredit && `verl subtracts the divergence from ${target}`,
  });
}

const aggregations: Record<ResolvedAlgorithm['aggregation'], string> = {
  'token-mean': 'token-mean',
  'sequence-mean': 'seq-mean-token-mean',
  'sequence-sum': 'seq-mean-token-sum',
  'constant-length': 'seq-mean-token-sum-norm',
};

function setLoss(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  const { ratio, aggregation, dualClip } = algorithm;
  refuse(mapped, {
    'Excluding truncated responses from the loss (maskTruncated)':
      algorithm.maskTruncated && 'Set algorithm.maskTruncated to false.',
  });
  // At a ratio of 1 the gradient of one ratio per response equals that of the sum over its tokens.
  const mode = ratio === 'token' ? aggregations[aggregation] : 'seq-mean-token-sum';
  set(mapped, {
    [`${actor}.clip_ratio_low`]: algorithm.clipLow,
    [`${actor}.clip_ratio_high`]: algorithm.clipHigh,
    [`${actor}.clip_ratio_c`]: dualClip > 1 ? dualClip : NO_DUAL_CLIP,
    [`${actor}.entropy_coeff`]: algorithm.entropyCoefficient,
    [`${actor}.loss_agg_mode`]: mode,
    [`${actor}.loss_scale_factor`]:
      mode === 'seq-mean-token-sum-norm' ? config.rollout.maxNewTokens : undefined,
  });
  lose(mapped, {
    'algorithm.dualClip': dualClip === 1 && 'verl requires a value above 1, so the dual clip is off',
  });
  if (ratio !== 'sequence') return;
  lose(mapped, {
    'algorithm.ratio':
      updatesPerStep(config) > 1 &&
      'verl has one ratio per token, which makes a difference when a ratio is not 1',
    'algorithm.entropyCoefficient':
      algorithm.entropyCoefficient > 0 && 'the bonus is summed over each response, not averaged over tokens',
  });
}

function setLengthTerms(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  refuse(mapped, {
    'The length penalty of the reward (lengthPenalty)':
      algorithm.lengthPenalty > 0 && 'Set lengthPenalty to 0, or export to TRL.',
  });
  if (algorithm.overlongBuffer > 0) {
    set(mapped, {
      'reward.reward_manager.name': 'dapo',
      'reward.reward_kwargs.overlong_buffer_cfg.enable': true,
      'reward.reward_kwargs.overlong_buffer_cfg.len': algorithm.overlongBuffer,
      'reward.reward_kwargs.overlong_buffer_cfg.penalty_factor': 1,
      'reward.reward_kwargs.overlong_buffer_cfg.log': false,
      'reward.reward_kwargs.max_resp_len': config.rollout.maxNewTokens,
    });
  }
  // Only verl's newer trainer supports group filtering.
  if (algorithm.resampleRounds === 0) set(mapped, { 'trainer.use_v1': false });
  else {
    set(mapped, {
      'algorithm.filter_groups.enable': true,
      'algorithm.filter_groups.metric': 'outcome',
      'algorithm.filter_groups.max_num_gen_batches': algorithm.resampleRounds + 1,
    });
    lose(mapped, {
      'algorithm.resampleRounds': 'verl stops with an error after the last round; Marble fills the batch',
    });
  }
}

function setOptimizer(mapped: Mapped): void {
  const { config } = mapped;
  const { optimizer } = config;
  const { promptsPerStep, samplesPerPrompt } = config.rollout;
  const prompts = promptsPerStep / optimizer.miniBatches;
  refuse(mapped, {
    [`${optimizer.miniBatches} mini-batches of ${promptsPerStep} prompts`]:
      !Number.isInteger(prompts) &&
      'Choose miniBatches that divide promptsPerStep: verl cuts between prompts.',
  });
  const micro = microBatchWithin(config, prompts * samplesPerPrompt);
  const decays = optimizer.finalFraction !== 1;
  set(mapped, {
    [`${actor}.ppo_epochs`]: optimizer.passes,
    [`${actor}.ppo_mini_batch_size`]: prompts,
    [`${actor}.ppo_micro_batch_size_per_gpu`]: micro,
    [`${rollout}.log_prob_micro_batch_size_per_gpu`]: micro,
    'actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu': micro,
    [`${actor}.optim.lr`]: optimizer.learningRate,
    [`${actor}.optim.betas`]: [optimizer.beta1, optimizer.beta2],
    [`${actor}.optim.weight_decay`]: optimizer.weightDecay,
    [`${actor}.optim.clip_grad`]: optimizer.maxGradNorm,
    [`${actor}.optim.lr_warmup_steps`]: optimizer.warmupSteps, // verl's schedule advances once per batch of rollouts
    [`${actor}.optim.override_optimizer_config`]:
      optimizer.epsilon === 1e-8 ? undefined : `{eps:${optimizer.epsilon}}`,
    [`${actor}.optim.lr_scheduler_type`]: decays ? 'cosine' : 'constant',
    [`${actor}.optim.min_lr_ratio`]: decays ? optimizer.finalFraction : undefined,
  });
  lose(mapped, {
    'optimizer.miniBatches':
      optimizer.miniBatches > 1 && 'verl cuts between prompts, Marble between rollouts',
    'optimizer.decay':
      decays &&
      optimizer.decay === 'linear' &&
      'verl has no linear decay: it uses half a cosine between the same two rates',
  });
}
