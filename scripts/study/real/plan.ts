/**
 * Runs of docs/study-3b.md as pure data, in the order in which they are made: a start with its arms A to C, then D. An id is
 * unique. Seed 1 is that of the adapter that ships, and of the pilots.
 */
import { presets, type RunConfig } from '../../../src/index';

/** A weak start is the base model after one stage of supervised updates, an able one after two. */
type Strength = 'weak' | 'able';

export interface RealStart {
  seed: number;
  strength: Strength;
}

export type Arm = 'A' | 'B' | 'C' | 'D';

export interface RealPlan {
  study: '3b';
  id: string;
  arm: Arm;
  start: RealStart;
  config: RunConfig;
}

const SEEDS = [111, 112, 113];
const STEPS = 20;
const LORA = { mode: 'lora', rank: 8, alpha: 16 } as const;

interface ArmSettings {
  strength: Strength;
  /** Share S of easy stories, on which the shortcut is right. */
  share: number;
  reward: RunConfig['reward']['preset'];
}

export const arms: Record<Arm, ArmSettings> = {
  A: { strength: 'able', share: 0.9, reward: 'logic-rl' },
  B: { strength: 'able', share: 0.45, reward: 'logic-rl' },
  C: { strength: 'able', share: 0.9, reward: 'faithful' },
  D: { strength: 'weak', share: 0.9, reward: 'logic-rl' },
};

/** The job measures separately; one item is the smallest evaluation. */
const unmeasured = { every: 100_000, items: 1, finalItems: 1, hardItems: 0, seed: 7, patience: 0 };

export const startId = ({ strength, seed }: RealStart): string => `${strength}-s${seed}`;

/** A stage of supervised updates: that of the preset `start-135m`, from the base model or from a weak start. */
export function stageConfig({ strength, seed }: RealStart): RunConfig {
  return {
    ...presets['start-135m'],
    seed: strength === 'weak' ? seed : seed + 1000,
    training: strength === 'weak' ? LORA : { ...LORA, adapter: 'files:weak' },
    evaluation: unmeasured,
  };
}

function plan(seed: number, arm: Arm): RealPlan {
  const { strength, share, reward } = arms[arm];
  const run = presets['first-run-135m'];
  const start = { seed, strength };
  const config: RunConfig = {
    ...run,
    seed: 100 * seed + 5,
    steps: STEPS,
    training: { ...LORA, adapter: 'files:start' },
    data: { ...run.data, rho: share },
    reward: { preset: reward },
    evaluation: unmeasured,
  };
  return { study: '3b', id: `${startId(start)}/${arm}`, arm, start, config };
}

export const realRuns: readonly RealPlan[] = [
  ...SEEDS.flatMap((seed) => (['A', 'B', 'C'] as const).map((arm) => plan(seed, arm))),
  ...SEEDS.map((seed) => plan(seed, 'D')),
];
