/** The presets as shapes and batches: what a run of each holds, fetches and computes, before anything is fetched. */
import { parseModelConfig, type ModelConfig } from '../../src/model/config';
import { halfBillionConfig } from '../../src/model/device/half-billion';
import { planMemory } from '../../src/model/device/memory-plan';
import { parameterCount } from '../../src/model/files/tensor-table';
import type { RunConfig } from '../../src/run/config/config';
import { memorySettings } from '../../src/run/config/memory-settings';
import { presets } from '../../src/run/config/presets';
import type { PresetCost } from '../protocol';

/** The models that ship with the page are a part of it; of the others the presets have one. */
export type ShapeOf = (model: RunConfig['model']) => ModelConfig;

/** @param base - address of the folder that holds `models/` */
export async function presetShapes(base: string): Promise<ShapeOf> {
  const names = new Set<string>();
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

/** Qwen's tokenizer and what stands beside it. */
const TOKENIZER_BYTES = 11e6;

export function presetCosts(shapeOf: ShapeOf): PresetCost[] {
  return Object.entries(presets).map(([preset, config]) => {
    const shape = shapeOf(config.model);
    const isHere = config.model.kind === 'embedded';
    const { total, weights, optimiser } = planMemory(shape, memorySettings(config));
    const parameters = parameterCount(shape);
    const download = isHere ? 0 : 2 * parameters + TOKENIZER_BYTES;
    return { preset, parameters, memory: total, modelMemory: weights + optimiser, download };
  });
}
