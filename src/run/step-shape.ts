/** A step of a run as the timing of backends takes it. */
import type { StepShape } from '../model/device/choose-backend';
import type { RunConfig } from './config';

/** Tokens of a typical prompt and response of the embedded worlds; others are guessed from the limit. */
const typicalPrompt = 48;
const typicalResponse = 24;

export function stepShapeOf({ rollout, model }: RunConfig): StepShape {
  const embedded = model.kind === 'embedded';
  return {
    prompts: rollout.promptsPerStep,
    samplesPerPrompt: rollout.samplesPerPrompt,
    promptTokens: embedded ? typicalPrompt : 256,
    responseTokens: embedded ? typicalResponse : Math.min(rollout.maxNewTokens, 128),
  };
}
