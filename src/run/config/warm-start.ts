/** Warm start: the supervised steps at the beginning of a run, before the RL steps. */
import type { Verbosity } from '../../tom/item';

/** Number of supervised steps (absent or 0: no warm start), and settings whose defaults follow. */
type WarmStartSettings = { updates?: number } & { [Name in keyof typeof warmStartDefaults]?: number };

/** Defaults of absent settings: the examples of an update, the shares of full and short traces, the rate and its warm-up. */
export const warmStartDefaults = { examples: 16, full: 1, short: 0, learningRate: 0.001, warmupUpdates: 5 };

interface WarmStart {
  updates: number;
  examples: number;
  /** Fraction of each verbosity. Examples with neither a full nor a short trace are direct answers. */
  mix: Record<Verbosity, number>;
  learningRate: number;
  warmupUpdates: number;
}

/** Resolves the settings with their defaults. Null for a run without a warm start. */
export function warmStartOf({ warmStart = {} }: { warmStart?: WarmStartSettings }): WarmStart | null {
  const {
    updates = 0,
    examples = warmStartDefaults.examples,
    full = warmStartDefaults.full,
    short = warmStartDefaults.short,
    learningRate = warmStartDefaults.learningRate,
    warmupUpdates = warmStartDefaults.warmupUpdates,
  } = warmStart;
  if (updates === 0) return null;
  return { updates, examples, mix: { full, short, direct: 1 - full - short }, learningRate, warmupUpdates };
}

/** The last supervised step of the warm start; 0 for a run without one. */
export function warmStepsOf(config: { warmStart?: WarmStartSettings }): number {
  return warmStartOf(config)?.updates ?? 0;
}

/** The last step before the RL steps; 0 for a run without a warm start or with no RL steps. */
export function borderOf(config: { warmStart?: WarmStartSettings; steps: number }): number {
  const updates = warmStepsOf(config);
  return updates < config.steps ? updates : 0;
}
