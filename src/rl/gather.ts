/**
 * Gathers the rollouts of one step: samples, scores, and with dynamic sampling selects them. A batch whose KV cache
 * does not fit into memory is sampled in several calls.
 */
import type { Item } from '../tom/item';
import { decodedTogether } from '../base/rows-at-once';
import { byGroup, type Sample } from '../run/record/sample';
import type { Control } from './control';
import { decodedLengths, encodePrompt, isUniform, sampleItems, withLengthTerms } from './rollout';
import type { Run } from './trainer-state';

/** A block of prompts x samples that is decoded together. */
interface Call {
  firstPrompt: number;
  prompts: number;
  firstSample: number;
  samples: number;
}

/** Streams of the sampler: call * 2^24 + step * 128 + round of dynamic sampling. Later steps use other seeds. */
const ROUNDS_PER_STEP = 2 ** 7;
const STREAMS_PER_CALL = 2 ** 24;
const STEPS_PER_SEED = STREAMS_PER_CALL / ROUNDS_PER_STEP;
/** Distance of these seeds, far from those of other runs. */
const SEED_STRIDE = 0x9e3779b9;

export interface Gathered {
  samples: Sample[];
  /** Response tokens of all rounds. */
  sampledTokens: number;
  /** Prompts that dynamic sampling replaced. */
  resampled: number;
  /**
   * Number of uniform groups that dynamic sampling could not replace: the last ones in `samples`, recorded but left out
   * of the loss.
   */
  padded: number;
}

/**
 * Gathers the batch of one step. With dynamic sampling, prompts whose samples all earned the same reward (before the
 * length terms) are replaced by the next prompts, for a few rounds. Then uniform groups fill the remaining places, and
 * a record always covers a full batch.
 */
export async function gatherSamples(run: Run, step: number, control: Control): Promise<Gathered> {
  const { config, source, state } = run;
  const { promptsPerStep, maxNewTokens } = config.rollout;
  const { algorithm } = config;
  const { resampleRounds } = algorithm;
  const accepted: Sample[][] = [];
  const uniform: Sample[][] = [];
  let sampledTokens = 0;
  for (let round = 0; round <= resampleRounds && accepted.length < promptsPerStep; round++) {
    const items = source.training(state.cursor, promptsPerStep - accepted.length);
    state.cursor += items.length;
    for (const group of byGroup(await sampleRound(run, items, step, round, control))) {
      sampledTokens += group.reduce((sum, { response }) => sum + response.length, 0);
      const shaped = group.map((sample) => ({
        ...sample,
        reward: withLengthTerms(sample, maxNewTokens, algorithm),
      }));
      (resampleRounds > 0 && isUniform(group) ? uniform : accepted).push(shaped);
    }
  }
  const batch = [...accepted, ...uniform].slice(0, promptsPerStep);
  return {
    samples: batch.flatMap((group, index) => group.map((sample) => ({ ...sample, group: index }))),
    sampledTokens,
    resampled: accepted.length + uniform.length - promptsPerStep,
    padded: promptsPerStep - accepted.length,
  };
}

/** Samples and scores all items, in as many calls as needed. */
async function sampleRound(
  { policy, config, reward }: Run,
  items: readonly Item[],
  step: number,
  round: number,
  control: Control,
): Promise<Sample[]> {
  const { samplesPerPrompt, temperature, maxNewTokens } = config.rollout;
  const prompts = items.map((item) => encodePrompt(policy, item, maxNewTokens));
  const batch = { prompts: items.length, samples: samplesPerPrompt };
  const together = decodedTogether(policy.config, { ...batch, ...decodedLengths(prompts, maxNewTokens) });
  const calls = planCalls(batch, together);
  const samples: Sample[] = [];
  const total = items.length * samplesPerPrompt;
  for (const [index, { firstPrompt, firstSample, ...call }] of calls.entries()) {
    const tick = (decoded: number, finished = 0): Promise<void> =>
      control.tick('rollout', (index + decoded / maxNewTokens) / calls.length, {
        done: samples.length + finished,
        total,
      });
    await tick(0);
    const callItems = items.slice(firstPrompt, firstPrompt + call.prompts);
    const options = {
      samplesPerPrompt: call.samples,
      temperature,
      maxNewTokens,
      seed: (config.seed + SEED_STRIDE * Math.floor(step / STEPS_PER_SEED)) % 2 ** 32,
      stream: index * STREAMS_PER_CALL + (step % STEPS_PER_SEED) * ROUNDS_PER_STEP + round,
      onProgress: tick,
      onSampled: () => control.tick('reward', (index + 1) / calls.length),
    };
    const found = await sampleItems(policy, callItems, options, config.reward, reward);
    for (const one of found)
      samples.push({ ...one, group: firstPrompt + one.group, sample: firstSample + one.sample });
  }
  return samples;
}

/**
 * Splits the batch into calls of whole prompts if at least one prompt fits, otherwise of some samples of one prompt.
 */
function planCalls(
  { prompts, samples }: Pick<Call, 'prompts' | 'samples'>,
  together: Pick<Call, 'prompts' | 'samples'>,
): Call[] {
  const calls: Call[] = [];
  for (let firstPrompt = 0; firstPrompt < prompts; firstPrompt += together.prompts) {
    for (let firstSample = 0; firstSample < samples; firstSample += together.samples) {
      calls.push({
        firstPrompt,
        prompts: Math.min(together.prompts, prompts - firstPrompt),
        firstSample,
        samples: Math.min(together.samples, samples - firstSample),
      });
    }
  }
  return calls;
}
