/** The rollouts of one step: sampled, scored, and under dynamic sampling chosen. */
import type { TrainerEvent } from './events';
import type { PhaseTimes } from './metrics';
import { forwarded, progress, reporting } from './progress';
import { byGroup, isUniform, sampleItems, withLengthTerms, type Sample } from './rollout';
import type { Run } from './trainer-state';

/** Streams of the sampler within one step: one for each round of dynamic sampling. */
const ROUNDS_PER_STEP = 128;

/**
 * The batch of one step. Under dynamic sampling, prompts whose samples all earned the same are replaced by the next
 * ones for a few rounds; what is still missing then is filled up with them, so that a batch is always full.
 */
export async function* gatherSamples(
  { policy, config, signal, source, state }: Run,
  step: number,
  times: PhaseTimes,
): AsyncGenerator<TrainerEvent, { samples: Sample[]; resampled: number }, void> {
  const { promptsPerStep, samplesPerPrompt, temperature, maxNewTokens } = config.rollout;
  const { resampleRounds } = config.algorithm;
  const kept: Sample[][] = [];
  const uniform: Sample[][] = [];
  for (let round = 0; round <= resampleRounds && kept.length < promptsPerStep; round++) {
    const items = source.training(state.cursor, promptsPerStep - kept.length);
    state.cursor += items.length;
    yield progress('rollout', step, 0);
    const drawn = yield* forwarded(
      'rollout',
      step,
      reporting(async (report) => {
        const start = performance.now();
        const sampled = await sampleItems(
          policy,
          items,
          {
            samplesPerPrompt,
            temperature,
            maxNewTokens,
            seed: config.seed,
            stream: step * ROUNDS_PER_STEP + round,
            signal,
            onProgress: (decoded) => report(decoded / maxNewTokens),
          },
          config.reward,
        );
        times.rollout += performance.now() - start;
        return sampled;
      }),
    );
    const start = performance.now();
    for (const group of byGroup(drawn)) {
      const shaped = group.map((sample) => ({
        ...sample,
        reward: withLengthTerms(sample.reward, sample.response.length, maxNewTokens, config.algorithm),
      }));
      (resampleRounds > 0 && isUniform(shaped) ? uniform : kept).push(shaped);
    }
    times.reward += performance.now() - start;
    yield progress('reward', step, 1);
  }
  const batch = [...kept, ...uniform].slice(0, promptsPerStep);
  return {
    samples: batch.flatMap((group, index) => group.map((sample) => ({ ...sample, group: index }))),
    resampled: kept.length + uniform.length - promptsPerStep,
  };
}
