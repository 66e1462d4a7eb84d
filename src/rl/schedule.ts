/**
 * The learning rate of every step: a linear warm-up, then a linear or half-cosine decay to `finalFraction` of the peak
 * at the last step. It is a pure function of the step, so a resumed run needs no state. A warm start has its own
 * warm-up and decay. Left out: restarts and inverse square root, which no recipe here uses.
 */
import type { AdamWOptions } from '../model/policy';
import type { OptimizerConfig } from '../run/config/algorithm-config';
import type { RunConfig } from '../run/config/config';
import { warmStartOf } from '../run/config/warm-start';

type RateSchedule = Pick<OptimizerConfig, 'learningRate' | 'warmupSteps' | 'finalFraction' | 'decay'>;

/**
 * The learning rate of a step.
 *
 * @param index of the step, from 0
 * @param steps in the whole run
 */
export function learningRateAt(
  index: number,
  steps: number,
  { learningRate, warmupSteps, finalFraction, decay }: RateSchedule,
): number {
  if (index < warmupSteps) {
    return (learningRate * (index + 1)) / (warmupSteps + 1);
  }
  const done = (index - warmupSteps) / Math.max(1, steps - 1 - warmupSteps);
  const remaining = decay === 'linear' ? 1 - done : (1 + Math.cos(Math.PI * done)) / 2;
  return learningRate * (finalFraction + (1 - finalFraction) * remaining);
}

/** The AdamW settings of a step. @param step of the run, from 1 */
export function adamwAt(step: number, config: RunConfig): AdamWOptions {
  const { optimizer, steps } = config;
  const warm = warmStartOf(config);
  const border = warm?.updates ?? 0;
  const { beta1, beta2, epsilon, weightDecay, maxGradNorm } = optimizer;
  const learningRate =
    warm !== null && step <= border
      ? learningRateAt(step - 1, border, {
          ...optimizer,
          learningRate: warm.learningRate,
          warmupSteps: warm.warmupUpdates,
        })
      : learningRateAt(step - 1 - border, steps - border, optimizer);
  return { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm };
}
