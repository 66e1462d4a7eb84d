/**
 * Supervised training on gold completions, from random weights to a model that reasons: a fixed number of steps, with
 * warm-up and decay of the learning rate. Models of different sizes with the same seed see the same examples and tokens
 * in the same order.
 *
 * The verbosity of each example is drawn with the recipe's fractions. Left out: several epochs, since the items are
 * endless.
 */
import { MarbleError } from '../../base/error';
import type { AdamWOptions, PassProgress, Policy } from '../../model/policy';
import { generateDataset } from '../../tom/worlds/generate';
import type { DataSpec } from '../../tom/item';
import type { StepRecord } from '../../run/record/events';
import { learningRateAt, type RateSchedule } from '../schedule';
import { drawVerbosities, type Lesson } from './lesson';
import { goldExample, sftUpdate } from './sft';

export interface PretrainingRecipe {
  seed: number;
  data: DataSpec;
  /** Examples per step. */
  batch: number;
  /** Number of examples that run together; default all. */
  atOnce?: number;
  maxNewTokens: number;
  /** Its learning rate is the peak. */
  adamw: AdamWOptions;
  schedule: RateSchedule;
  mix: Lesson['mix'];
  steps: number;
}

/** Peak learning rates, by model. */
export const pretrainingRates = {
  '12k': 5e-3,
  '25k': 5e-3,
  '100k': 3e-3,
  '398k': 2e-3,
  'hitom-mini': 1.5e-3,
} as const;

/**
 * A recipe with 50 steps of warm-up and a linear decay to a tenth of the rate, of 60 % full traces and 40 % direct answers.
 */
export function pretrainingRecipe({
  seed,
  data,
  batch = 32,
  atOnce,
  maxNewTokens = 48,
  learningRate,
  steps,
}: Pick<PretrainingRecipe, 'seed' | 'data' | 'steps'> &
  Partial<Pick<PretrainingRecipe, 'batch' | 'atOnce' | 'maxNewTokens'>> & {
    learningRate: number;
  }): PretrainingRecipe {
  return {
    seed,
    data,
    batch,
    atOnce,
    maxNewTokens,
    adamw: { learningRate, beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 },
    schedule: { warmupSteps: 50, finalFraction: 0.1, decay: 'linear' },
    mix: { full: 60, short: 0, direct: 40 },
    steps,
  };
}

export interface PretrainingOptions {
  /** Called and awaited after every update. */
  onStep?: (record: StepRecord) => Promise<void> | void;
  /** Progress over all steps, reported before each of them and between its micro-batches. */
  onProgress?: PassProgress;
}

/**
 * Trains `policy` in place.
 *
 * @returns prompt and completion tokens trained on
 * @throws MarbleError `rl/not-finite` if the loss or its gradient is not finite
 */
export async function pretrain(
  policy: Policy,
  recipe: PretrainingRecipe,
  { onStep, onProgress }: PretrainingOptions = {},
): Promise<number> {
  let tokens = 0;
  for (let step = 0; step < recipe.steps; step += 1) {
    const tick = async (fraction: number): Promise<void> => onProgress?.((step + fraction) / recipe.steps);
    await tick(0);
    const learningRate = learningRateAt(step, recipe.steps, {
      ...recipe.schedule,
      learningRate: recipe.adamw.learningRate,
    });
    const adamw = { ...recipe.adamw, learningRate };
    const report = await sftUpdate(policy, drawExamples(policy, recipe, step), adamw, {
      atOnce: recipe.atOnce,
      onProgress: tick,
    });
    tokens += report.tokens;
    if (!report.applied) {
      throw new MarbleError(
        'rl/not-finite',
        `The loss or its gradient was not finite in step ${step + 1} of pretraining.`,
        'Lower the learning rate and start again.',
      );
    }
    await onStep?.({
      step: step + 1,
      loss: report.loss,
      entropy: report.entropy,
      grad_norm: report.gradNorm,
      learning_rate: learningRate,
      num_tokens: tokens,
    });
  }
  return tokens;
}

function drawExamples(
  policy: Policy,
  { seed, data, batch, mix }: PretrainingRecipe,
  step: number,
): ReturnType<typeof goldExample>[] {
  const verbosities = drawVerbosities({ mix, examples: batch }, seed, step);
  const items = generateDataset({ ...data, seed, offset: step * batch, count: batch });
  return items.map((item, i) => goldExample(policy, item, verbosities[i]));
}
