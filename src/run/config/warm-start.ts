/** The supervised steps before those of reinforcement learning; the first of the run's steps. */
import type { Verbosity } from '../../tom/item';

interface WarmStartSettings {
  /** None where left out or 0. */
  updates?: number;
  /** Of each update. */
  examples?: number;
  /** Shares of the examples; the rest has direct answers. */
  full?: number;
  short?: number;
  learningRate?: number;
  warmupUpdates?: number;
}

/** What a setting is where it is left out. */
export const warmStartDefaults = {
  ...{ examples: 16, full: 1, short: 0 },
  ...{ learningRate: 0.001, warmupUpdates: 5 },
} satisfies WarmStartSettings;

interface WarmStart {
  updates: number;
  examples: number;
  /** Shares of the verbosities. */
  mix: Record<Verbosity, number>;
  learningRate: number;
  warmupUpdates: number;
}

/** Null for a run without one. */
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

/** The last step before those on rewards; 0 for a run without a warm start, and for one that is its warm start alone. */
export function borderOf(config: { warmStart?: WarmStartSettings; steps: number }): number {
  const updates = warmStepsOf(config);
  return updates < config.steps ? updates : 0;
}
