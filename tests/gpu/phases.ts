/** Bytes that each phase of a run needs at its peak, on a real engine or on a dry one. */
import type { Engine } from '../../src/gpu/engine';
import type { ModelConfig } from '../../src/model/config';
import type { TensorSupply } from '../../src/model/files/build-weights';
import type { LoraConfig } from '../../src/model/lora';
import { continued, adamW, policyOf, pulling } from '../model/tiny';

export interface Shape {
  config: ModelConfig;
  lora: LoraConfig | null;
  prompts: number;
  samples: number;
  promptTokens: number;
  newTokens: number;
}

/** Loads, samples, and takes one step. The prompts differ; no sample ends early. */
export async function peaksOf(
  engine: Pick<Engine, 'memory' | 'resetPeak'>,
  supply: TensorSupply,
  { config, lora, prompts: count, samples, promptTokens, newTokens }: Shape,
): Promise<Record<string, number>> {
  const peaks: Record<string, number> = {};
  const note = (phase: string): void => {
    peaks[phase] = engine.memory().peak;
    engine.resetPeak();
  };
  const policy = await policyOf(engine as Engine, config, supply, lora);
  policy.freezeReference();
  note('load');
  const prompts = Array.from({ length: count }, (_, prompt) =>
    Array.from({ length: promptTokens }, (_unused, t) => 2 + ((prompt + 2 * t) % 17)),
  );
  const sampling = { samplesPerPrompt: samples, maxNewTokens: newTokens, temperature: 1, seed: 1 };
  const { sequences, lengths } = continued(prompts, await policy.generate(prompts, { ...sampling, stopIds: [-1] })); // prettier-ignore
  note('rollout');
  await policy.logprobs(sequences, lengths, { adapter: 'off' });
  note('reference');
  for (let part = 0; part < 2; part++) await policy.backward(sequences, lengths, pulling(0.01));
  note('backward');
  await policy.update(adamW(1e-4));
  note('update');
  policy.dispose();
  note('end');
  return peaks;
}
