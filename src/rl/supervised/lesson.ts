/** Decides which steps of a run are supervised, and which gold completions each of them uses. */
import { createRandom } from '../../base/random';
import type { RunConfig } from '../../run/config/config';
import { warmStartOf } from '../../run/config/warm-start';
import type { Verbosity } from '../../tom/item';

export interface Lesson {
  /** Number of gold completions. */
  examples: number;
  /** Relative shares of the verbosities; they need not sum to 1. */
  mix: Record<Verbosity, number>;
}

/** The lesson of a supervised step; null if the step learns from rewards. */
export function lessonAt(step: number, config: RunConfig): Lesson | null {
  const warm = warmStartOf(config);
  if (warm !== null && step <= warm.updates) return warm;
  if (config.method === 'rl') return null;
  const { promptsPerStep, samplesPerPrompt } = config.rollout;
  const direct = Number(config.method === 'sft-answers');
  return { examples: promptsPerStep * samplesPerPrompt, mix: { full: 1 - direct, short: 0, direct } };
}

const MIX_STREAM = 0x6d6978;

/** Draws the verbosity of each example of a step. */
export function drawVerbosities({ mix, examples }: Lesson, seed: number, step: number): Verbosity[] {
  const random = createRandom(seed, MIX_STREAM, step);
  const whole = mix.full + mix.short + mix.direct;
  return Array.from({ length: examples }, () => {
    const draw = random.uniform() * whole;
    return draw < mix.full ? 'full' : draw < mix.full + mix.short ? 'short' : 'direct';
  });
}
