/**
 * A run's configuration as verl's overrides, read from verl 0.9.0's own files (`verl/trainer/config`, `core_algos.py`,
 * `transformer_impl.py` of its FSDP engine). `$FOLDER` is the folder of the export.
 */
import { resolveAlgorithm, type KlConfig } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { lose, loseEverywhere, microBatchWithin, refuse, set, updatesPerStep, type Mapped } from './mapping';

export const verlVersion = '0.9.0';

/** Keys that verl's yaml does not list and its code reads: Hydra wants a plus before them. */
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

/** `abs` and `full` have no name in Marble. */
const klNames: Record<KlConfig['estimator'], string> = { k1: 'kl', k2: 'mse', k3: 'low_var_kl' };

/** verl asks for a dual clip above 1 always; this one is never reached. */
const NO_DUAL_CLIP = 1e6;

export interface VerlParts {
  /** Tokens of the longest prompt. */
  longestPrompt: number;
  /** Path or name of the model, and of a starting adapter where there is one. */
  modelPath: string;
  adapterPath: string | null;
}

/** @throws MarbleError `export/no-counterpart` */
export function verlSettings(config: RunConfig, parts: VerlParts): Mapped {
  const algorithm = resolveAlgorithm(config.algorithm);
  const mapped: Mapped = { config, algorithm, engine: 'verl', settings: new Map(), lost: [] };
  loseEverywhere(mapped);
  setData(mapped, parts);
  setModel(mapped, parts);
  setAdvantages(mapped);
  setDivergence(mapped);
  setLoss(mapped);
  setLengthTerms(mapped);
  setOptimizer(mapped);
  setTrainer(mapped);
  return mapped;
}

function setData(mapped: Mapped, { longestPrompt }: VerlParts): void {
  const { config } = mapped;
  set(mapped, {
    'data.train_files': '$FOLDER/train.parquet',
    'data.val_files': '$FOLDER/val.parquet',
    'data.shuffle': false,
    'data.seed': config.seed % 2 ** 31,
    'data.train_batch_size': config.rollout.promptsPerStep,
    'data.max_prompt_length': longestPrompt,
    'data.max_response_length': config.rollout.maxNewTokens,
    'data.truncation': 'error',
    [`${rollout}.n`]: config.rollout.samplesPerPrompt,
    [`${rollout}.temperature`]: config.rollout.temperature,
    [`${rollout}.name`]: 'vllm',
    [`${rollout}.tensor_model_parallel_size`]: 1,
    [`${rollout}.seed`]: config.seed % 2 ** 31,
    'reward.custom_reward_function.path': '$FOLDER/reward.py',
    'reward.custom_reward_function.name': 'compute_score',
  });
}

function setModel(mapped: Mapped, { modelPath, adapterPath }: VerlParts): void {
  const { config } = mapped;
  set(mapped, {
    [`${model}.path`]: modelPath,
    [`${model}.tokenizer_path`]: '$FOLDER/tokenizer',
    // The prompts are rendered already.
    [`${model}.custom_chat_template`]: '"{% for message in messages %}{{ message.content }}{% endfor %}"',
  });
  if (config.training.mode === 'lora') {
    set(mapped, {
      [`${model}.lora_rank`]: config.training.rank,
      [`${model}.lora_alpha`]: config.training.alpha,
      [`${model}.target_modules`]: 'all-linear',
      [`${rollout}.load_format`]: 'safetensors',
      ...(adapterPath === null ? {} : { [`${model}.lora_adapter_path`]: adapterPath }),
    });
  }
  if (config.model.kind === 'embedded') {
    set(mapped, {
      [`${actor}.fsdp_config.dtype`]: 'float32',
      'actor_rollout_ref.ref.fsdp_config.dtype': 'float32',
      [`${rollout}.dtype`]: 'float32',
    });
  } else {
    lose(mapped, '32-bit numbers', 'verl computes in bfloat16, with 32-bit weights');
  }
}

function setAdvantages(mapped: Mapped): void {
  const { algorithm } = mapped;
  const { baseline, scale, gamma, convention } = algorithm;
  const estimators: Record<string, string> = {
    'none all-tokens': 'reinforce_plus_plus',
    'group-mean all-tokens': 'reinforce_plus_plus_baseline',
    'group-mean group': 'grpo',
    'group-mean none': 'grpo',
    'others-mean none': 'rloo',
  };
  const estimator = estimators[`${baseline} ${scale}`];
  if (estimator === undefined)
    refuse(
      mapped,
      `The scale "${scale}" of the advantages of ${algorithm.name}`,
      'Leave algorithm.scale out.',
    );
  set(mapped, { 'algorithm.adv_estimator': estimator });
  if (estimator === 'grpo') set(mapped, { 'algorithm.norm_adv_by_std_in_grpo': scale === 'group' });
  if (estimator === 'reinforce_plus_plus') set(mapped, { 'algorithm.gamma': gamma });
  if (scale === 'all-tokens') {
    if (convention === 'openrlhf')
      lose(
        mapped,
        'algorithm.convention',
        'verl divides by Bessel’s deviation: one part in twice the number of tokens',
      );
    lose(mapped, 'outcomes clamped to [-10, 10]', 'verl clamps none; no reward preset goes that far');
  }
}

function setDivergence(mapped: Mapped): void {
  const { algorithm } = mapped;
  const { kl, baseline } = algorithm;
  if (kl.place === 'none' || kl.coefficient === 0) return;
  if (kl.place === 'reward') {
    set(mapped, {
      'algorithm.use_kl_in_reward': true,
      'algorithm.kl_penalty': klNames[kl.estimator],
      'algorithm.kl_ctrl.type': kl.target > 0 ? 'adaptive' : 'fixed',
      'algorithm.kl_ctrl.kl_coef': kl.coefficient,
      ...(kl.target > 0
        ? { 'algorithm.kl_ctrl.target_kl': kl.target, 'algorithm.kl_ctrl.horizon': kl.horizon }
        : {}),
    });
    const theirs = baseline === 'none' ? 'token' : 'response';
    if (kl.credit !== theirs)
      lose(mapped, 'algorithm.kl.credit', `verl takes the divergence from ${theirs === 'token' ? 'the return at each token' : 'the outcome of the whole response'}`); // prettier-ignore
    return;
  }
  set(mapped, {
    [`${actor}.use_kl_loss`]: true,
    [`${actor}.kl_loss_coef`]: kl.coefficient,
    [`${actor}.kl_loss_type`]: klNames[kl.estimator],
  });
  if (kl.target > 0) lose(mapped, 'algorithm.kl.target', 'the coefficient of a KL loss stays fixed in verl');
}

function setLoss(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  const { ratio, aggregation } = algorithm;
  if (algorithm.maskTruncated)
    refuse(mapped, 'Leaving responses that were cut off out of the loss (maskTruncated)', 'Set algorithm.maskTruncated to false.'); // prettier-ignore
  const modes = {
    'token-mean': 'token-mean',
    'sequence-mean': 'seq-mean-token-mean',
    'sequence-sum': 'seq-mean-token-sum',
    'constant-length': 'seq-mean-token-sum-norm',
  } as const;
  // One ratio for a response has the slope of the sum over its tokens while it is 1.
  const mode = ratio === 'token' ? modes[aggregation] : 'seq-mean-token-sum';
  set(mapped, {
    [`${actor}.clip_ratio_low`]: algorithm.clipLow,
    [`${actor}.clip_ratio_high`]: algorithm.clipHigh,
    [`${actor}.clip_ratio_c`]: algorithm.dualClip > 1 ? algorithm.dualClip : NO_DUAL_CLIP,
    [`${actor}.entropy_coeff`]: algorithm.entropyCoefficient,
    [`${actor}.loss_agg_mode`]: mode,
    ...(mode === 'seq-mean-token-sum-norm'
      ? { [`${actor}.loss_scale_factor`]: config.rollout.maxNewTokens }
      : {}),
  });
  if (algorithm.dualClip === 1)
    lose(mapped, 'algorithm.dualClip', 'verl takes none at or below 1, so there is none');
  if (ratio === 'sequence' && updatesPerStep(config) > 1)
    lose(mapped, 'algorithm.ratio', 'verl has one ratio for each token; they differ where it leaves 1');
  if (ratio === 'sequence' && algorithm.entropyCoefficient > 0)
    lose(
      mapped,
      'algorithm.entropyCoefficient',
      'the bonus is summed over each response, not averaged over tokens',
    );
}

function setLengthTerms(mapped: Mapped): void {
  const { algorithm, config } = mapped;
  if (algorithm.lengthPenalty > 0)
    refuse(
      mapped,
      'The reward’s term on length (lengthPenalty)',
      'Set lengthPenalty to 0, or export to TRL.',
    );
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
  if (algorithm.resampleRounds > 0) {
    // Group filtering is the newer trainer's alone.
    set(mapped, {
      'algorithm.filter_groups.enable': true,
      'algorithm.filter_groups.metric': 'outcome',
      'algorithm.filter_groups.max_num_gen_batches': algorithm.resampleRounds + 1,
    });
    lose(
      mapped,
      'algorithm.resampleRounds',
      'verl stops with an error where all rounds are used up; Marble fills the batch',
    );
  } else {
    set(mapped, { 'trainer.use_v1': false });
  }
}

function setOptimizer(mapped: Mapped): void {
  const { config } = mapped;
  const { optimizer } = config;
  const { promptsPerStep, samplesPerPrompt } = config.rollout;
  if (promptsPerStep % optimizer.miniBatches !== 0)
    refuse(mapped, `${optimizer.miniBatches} mini-batches of ${promptsPerStep} prompts`, 'Choose miniBatches that divide promptsPerStep: verl cuts between prompts.'); // prettier-ignore
  const micro = microBatchWithin(config, (promptsPerStep / optimizer.miniBatches) * samplesPerPrompt);
  set(mapped, {
    [`${actor}.ppo_epochs`]: optimizer.passes,
    [`${actor}.ppo_mini_batch_size`]: promptsPerStep / optimizer.miniBatches,
    [`${actor}.ppo_micro_batch_size_per_gpu`]: micro,
    [`${rollout}.log_prob_micro_batch_size_per_gpu`]: micro,
    'actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu': micro,
    [`${actor}.optim.lr`]: optimizer.learningRate,
    [`${actor}.optim.betas`]: [optimizer.beta1, optimizer.beta2],
    [`${actor}.optim.weight_decay`]: optimizer.weightDecay,
    [`${actor}.optim.clip_grad`]: optimizer.maxGradNorm,
    [`${actor}.optim.lr_warmup_steps`]: optimizer.warmupSteps * updatesPerStep(config),
    ...(optimizer.epsilon === 1e-8 ? {} : { [`${actor}.optim.override_optimizer_config`]: `{eps:${optimizer.epsilon}}` }), // prettier-ignore
  });
  if (optimizer.miniBatches > 1)
    lose(mapped, 'optimizer.miniBatches', 'verl cuts between prompts, Marble between rollouts');
  if (optimizer.finalFraction === 1) {
    set(mapped, { [`${actor}.optim.lr_scheduler_type`]: 'constant' });
    return;
  }
  set(mapped, {
    [`${actor}.optim.lr_scheduler_type`]: 'cosine',
    [`${actor}.optim.min_lr_ratio`]: optimizer.finalFraction,
  });
  if (optimizer.decay === 'linear')
    lose(mapped, 'optimizer.decay', 'verl knows no linear decay: half a cosine between the same two rates');
}

function setTrainer(mapped: Mapped): void {
  const { config } = mapped;
  set(mapped, {
    'trainer.total_epochs': 1,
    'trainer.total_training_steps': config.steps,
    'trainer.test_freq': config.evaluation.every,
    'trainer.save_freq': config.checkpointEvery,
    'trainer.nnodes': 1,
    'trainer.n_gpus_per_node': 1,
    'trainer.project_name': 'marble',
    'trainer.experiment_name': config.preset,
    'trainer.logger': ['console', 'file'],
    'trainer.rollout_data_dir': '$FOLDER/rollouts',
    'trainer.validation_data_dir': '$FOLDER/evaluations',
    'trainer.default_local_dir': '$FOLDER/checkpoints',
  });
}
