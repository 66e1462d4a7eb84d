/** The real models that the page offers. */
import type { ModelChoice } from '../../run/config/model-config';
import { presets } from '../../run/config/presets';

/** `download` is the size of the files at the preset's pinned commit. */
export const realModels = [
  { preset: 'first-run-135m', name: 'SmolLM2-135M', download: '98 MB' },
  { preset: 'first-run-0.5b', name: 'Qwen2.5-0.5B', download: '988 MB' },
] as const;

/** Entry whose repository or file has this name, for files that the visitor chose; undefined without one. */
export function realModelNamed(name: string): (typeof realModels)[number] | undefined {
  return realModels.find(({ preset }) => {
    const { model } = presets[preset];
    return (
      model.kind === 'hub' && model.repository.split(/[/:]/).at(-1)!.toLowerCase() === name.toLowerCase()
    );
  });
}

export function realModelOf(model: ModelChoice): (typeof realModels)[number] | undefined {
  const same = JSON.stringify(model);
  return realModels.find(({ preset }) => JSON.stringify(presets[preset].model) === same);
}
