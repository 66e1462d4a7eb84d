/** A run's step and what of it is held at once, for plans of its time and memory. */
import type { StepBatch } from '../../model/device/cost-model';
import { resolveAlgorithm, usesReference } from '../../objective/algorithm';
import type { RunConfig } from './config';
import { stepShapeOf } from './step-shape';

/** Tokens of the longest prompts of the embedded worlds against typical ones. */
const LONGER = 2;
/** Tokens that a prompt of Theory-of-Mind tasks has at most, with Qwen's tokenizer. */
const LONGEST_PROMPT = 666;
/** The batch of a typical step of the run. */
export function batchOf(config: RunConfig): StepBatch {
  const { method, rollout, training, algorithm } = config;
  const { passes, miniBatches, microBatch } = config.optimizer;
  const { promptTokens, responseTokens } = stepShapeOf(config);
  return {
    rank: training.mode === 'lora' ? training.rank : null,
    weights: training.mode === 'lora' ? 'bf16' : 'f32',
    prompts: rollout.promptsPerStep,
    samplesPerPrompt: rollout.samplesPerPrompt,
    promptTokens,
    responseTokens,
    reference: usesReference(algorithm),
    microBatch,
    advantagesFirst:
      method !== 'rl' ||
      resolveAlgorithm(algorithm).kl.place !== 'reward' ||
      passes * miniBatches > 1 ||
      (microBatch > 0 && microBatch < rollout.promptsPerStep * rollout.samplesPerPrompt),
  };
}

/** What a run holds at most: its longest prompts, and completions as long as they may be. */
export function memorySettings(config: RunConfig): StepBatch {
  const batch = batchOf(config);
  return {
    ...batch,
    promptTokens: config.model.kind === 'embedded' ? LONGER * batch.promptTokens : LONGEST_PROMPT,
    responseTokens: config.rollout.maxNewTokens,
  };
}
