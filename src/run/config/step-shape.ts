/** A step of a run as the timing of backends and of tiles takes it. */
import type { StepShape } from '../../model/device/choose-backend';
import type { RunConfig } from './config';

/** Tokens of a typical prompt and response: of the embedded worlds, of stories by Hi-ToM's recipe, and of others, which are guessed. */
const typical = { small: [48, 24], hitom: [178, 64], other: [256, 128] } as const;

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

export function stepShapeOf({ rollout, model, data }: RunConfig): StepShape {
  const world = model.kind !== 'embedded' ? 'other' : data.source === 'hitom-short' ? 'hitom' : 'small';
  const [promptTokens, responseTokens] = typical[world];
  return {
    prompts: rollout.promptsPerStep,
    samplesPerPrompt: rollout.samplesPerPrompt,
    promptTokens,
    responseTokens: Math.min(rollout.maxNewTokens, responseTokens),
  };
}
