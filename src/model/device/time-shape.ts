/**
 * What a training step costs here, measured with random weights: nothing is fetched, and the numbers that are multiplied
 * do not change how long it takes. A small model is timed whole, at the run's own batch. Of a large one two layers with a
 * small vocabulary are timed, and the count of work (`cost-model.ts`) says how much longer the whole takes.
 */
import { openEngine, type BackendName, type EngineOptions } from '../../gpu/engine';
import type { ModelConfig } from '../config';
import { buildWeights, randomSupply } from '../files/build-weights';
import { attachLora } from '../lora';
import type { Policy } from '../policy';
import { createTransformerPolicy } from '../transformer-policy';
import { timePolicy, type StepShape } from './choose-backend';
import { INTEGRATED, predictStep, type StepBatch } from './cost-model';

/** Seconds of one completion: drawn and trained on, and drawn alone. */
export interface CompletionTime {
  trained: number;
  answered: number;
}

const DEVIATION = 0.02;

/** @param rank - of the adapter that is trained; null where all weights are */
async function withRandomPolicy<T>(
  backend: BackendName,
  config: ModelConfig,
  rank: number | null,
  options: EngineOptions,
  work: (policy: Policy) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({ ...options, backend });
  try {
    const weights = await buildWeights(config, randomSupply(1, DEVIATION, rank === null));
    const lora = rank === null ? null : { rank, alpha: 2 * rank };
    if (lora !== null) attachLora(weights, config, lora);
    const adapter = lora && { ...lora, useRslora: false, baseModel: null };
    const policy = createTransformerPolicy({
      engine,
      config,
      weights,
      tokenizer: null,
      adapter,
      configJson: {},
    });
    try {
      return await work(policy);
    } finally {
      policy.dispose();
    }
  } finally {
    engine.dispose();
  }
}

/** A model that is trained in full, at the batch of its run. Throws what opening the backend throws. */
export function timeSmallModel(
  backend: BackendName,
  config: ModelConfig,
  shape: StepShape,
  options: EngineOptions = {},
): Promise<CompletionTime> {
  return withRandomPolicy(backend, config, null, options, async (policy) => {
    const { secondsPerStep, sampleSeconds } = await timePolicy(policy, shape);
    const completions = shape.prompts * shape.samplesPerPrompt;
    return { trained: secondsPerStep / completions, answered: sampleSeconds / completions };
  });
}

/** Batches of the piece: the larger one where the first has taken next to nothing. */
const PIECES: readonly StepShape[] = [
  { prompts: 1, samplesPerPrompt: 2, promptTokens: 32, responseTokens: 8 },
  { prompts: 2, samplesPerPrompt: 8, promptTokens: 128, responseTokens: 64 },
];
/** Seconds of a step of the piece, under which the device is hardly used. */
const TOO_QUICK = 1;

/**
 * A model that is trained by LoRA and too large to be made of random numbers.
 *
 * @param piece - its widths with few layers and words
 * @param batch - of the run, with the whole model
 */
export function timeLargeModel(
  backend: BackendName,
  { whole, piece }: { whole: ModelConfig; piece: ModelConfig },
  batch: StepBatch & { rank: number },
  options: EngineOptions = {},
): Promise<CompletionTime> {
  return withRandomPolicy(backend, piece, batch.rank, options, async (policy) => {
    let [shape] = PIECES;
    let measured = await timePolicy(policy, shape);
    if (measured.secondsPerStep < TOO_QUICK) {
      shape = PIECES[1];
      measured = await timePolicy(policy, shape);
    }
    return scaledTime(
      measured,
      { config: piece, batch: { ...batch, weights: 'f32', ...shape } },
      { config: whole, batch },
    );
  });
}

interface Counted {
  config: ModelConfig;
  batch: StepBatch;
}

/** What a completion of the whole takes, where a step of the piece has taken so long. */
export function scaledTime(
  { secondsPerStep, sampleSeconds }: { secondsPerStep: number; sampleSeconds: number },
  piece: Counted,
  whole: Counted,
): CompletionTime {
  const seconds = ({ config, batch }: Counted): { sampling: number; training: number } => {
    // The card weighs the kinds of work against each other.
    const { phases } = predictStep(config, batch, INTEGRATED);
    return {
      sampling: phases.prefill + phases.decode,
      training: phases.reference + phases.training + phases.update,
    };
  };
  const [part, all] = [seconds(piece), seconds(whole)];
  const completions = whole.batch.prompts * whole.batch.samplesPerPrompt;
  const sampling = (sampleSeconds * all.sampling) / part.sampling;
  const training = ((secondsPerStep - sampleSeconds) * all.training) / part.training;
  return { trained: (sampling + training) / completions, answered: sampling / completions };
}
