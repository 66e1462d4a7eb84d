/** The real models that the page offers. */
import type { ModelChoice } from '../../run/config/model-config';
import { presets } from '../../run/config/presets';

/** `download` is the size of the files at the preset's pinned commit. */
export const realModels = [
  { preset: 'first-run-135m', name: 'SmolLM2-135M', download: '98 MB' },
  { preset: 'first-run-0.5b', name: 'Qwen2.5-0.5B', download: '988 MB' },
] as const;

export function realModelOf(model: ModelChoice): (typeof realModels)[number] | undefined {
  const same = JSON.stringify(model);
  return realModels.find(({ preset }) => JSON.stringify(presets[preset].model) === same);
}
