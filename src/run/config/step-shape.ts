/** A step of a run as the timing of backends takes it. */
import type { StepShape } from '../../model/device/choose-backend';
import type { RunConfig } from './config';

/** Tokens of a typical prompt and response: of the embedded worlds, of stories by Hi-ToM's recipe, and of others, which are guessed. */
const typical = { small: [48, 24], hitom: [178, 64], other: [256, 128] } as const;

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
