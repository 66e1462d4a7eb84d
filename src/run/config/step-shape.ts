/** The shape of a run's step for the timing of tiles. */
import type { RunConfig } from './config';

/** Padded tokens of a training pass that is worth tuning for; larger ones share the choice. */
const TUNED_ROWS = 512;

export function tunedShapeOf({ training, rollout }: Pick<RunConfig, 'training' | 'rollout'>) {
  return {
    weights: training.mode === 'lora' ? ('bf16' as const) : ('f32' as const),
    ...(training.mode === 'lora' && training.arithmetic && { arithmetic: training.arithmetic }),
    decodeRows: rollout.promptsPerStep * rollout.samplesPerPrompt,
    trainRows: TUNED_ROWS,
  };
}
