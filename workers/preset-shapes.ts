/** The presets as shapes and batches: what a run of each holds, fetches and computes, before anything is fetched. */
import { parseModelConfig, type ModelConfig } from '../src/model/config';
import type { StepBatch } from '../src/model/device/cost-model';
import { halfBillionConfig } from '../src/model/device/half-billion';
import { parameterCount, planMemory, type MemorySettings } from '../src/model/device/memory-plan';
import { usesReference } from '../src/objective/algorithm';
import type { EmbeddedModel, RunConfig } from '../src/run/config/config';
import { stepShapeOf } from '../src/run/config/step-shape';
import type { PresetCost, Presets } from './protocol';

/** The models that ship with the page are a part of it; of the others the presets have one. */
export type ShapeOf = (model: RunConfig['model']) => ModelConfig;

/** @param base - address of the folder that holds `models/` */
export async function presetShapes(presets: Presets, base: string): Promise<ShapeOf> {
  const names = new Set<EmbeddedModel>();
  for (const { model } of Object.values(presets)) if (model.kind === 'embedded') names.add(model.name);
  const embedded = new Map(
    await Promise.all(
      [...names].map(async (name): Promise<[string, ModelConfig]> => {
        const response = await fetch(new URL(`models/${name}/config.json`, base));
        return [name, parseModelConfig((await response.json()) as Record<string, unknown>)];
      }),
    ),
  );
  const halfBillion = parseModelConfig(halfBillionConfig());
  return (model) => (model.kind === 'embedded' ? embedded.get(model.name)! : halfBillion);
}

/** Tokens of the longest prompts of the embedded worlds against typical ones. */
const LONGER = 2;
/** Tokens that a prompt of Theory-of-Mind tasks has at most, with Qwen's tokenizer. */
const LONGEST_PROMPT = 666;
/** Qwen's tokenizer and what stands beside it. */
const TOKENIZER_BYTES = 11e6;

/** The batch of a typical step of the run. */
export function batchOf(config: RunConfig): StepBatch {
  const { rollout, training, algorithm } = config;
  const { promptTokens, responseTokens } = stepShapeOf(config);
  return {
    rank: training.mode === 'lora' ? training.rank : null,
    weights: training.mode === 'lora' ? 'bf16' : 'f32',
    prompts: rollout.promptsPerStep,
    samplesPerPrompt: rollout.samplesPerPrompt,
    promptTokens,
    responseTokens,
    reference: usesReference(algorithm),
  };
}

/** What a run holds at most: its longest prompts, and completions as long as they may be. */
export function memorySettings(config: RunConfig): MemorySettings {
  const batch = batchOf(config);
  return {
    ...batch,
    promptTokens: config.model.kind === 'embedded' ? LONGER * batch.promptTokens : LONGEST_PROMPT,
    newTokens: config.rollout.maxNewTokens,
    microBatch: config.optimizer.microBatch,
  };
}

export function presetCosts(presets: Presets, shapeOf: ShapeOf): PresetCost[] {
  return Object.entries(presets).map(([preset, config]) => {
    const shape = shapeOf(config.model);
    const isHere = config.model.kind === 'embedded';
    const { total } = planMemory(shape, memorySettings(config));
    const parameters = parameterCount(shape);
    return { preset, parameters, memory: total, download: isHere ? 0 : 2 * parameters + TOKENIZER_BYTES };
  });
}
