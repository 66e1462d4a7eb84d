/**
 * The counted runs, hypothesis by hypothesis, as pure data. docs/experiments.md says what each is for and what decides it;
 * that page was committed before the first of these runs was made.
 *
 * A run is one start (a model pretrained here) and one training run from it. Its id says all that sets it apart, and two
 * hypotheses that need the same run share it.
 */
import { presets, type RunConfig } from '../../src/index';
import { algorithms } from '../../src/run/algorithm';
import type { Verbosity } from '../../src/tom/item';

export type Size = '25k' | '100k' | '398k';

/** The shortcut answers .90, .70 and .56 of orders 1 to 3 at these values of rho (measured on 100,000 items). */
export const rhoOf = { '.90': 0.82, '.70': 0.455, '.56': 0.2 } as const;

export interface StartPlan {
  id: string;
  size: Size;
  /** Draws the weights and the order of the examples: equal seeds see equal tokens. */
  seed: number;
  /** Of 32 examples, about 2,400 tokens. */
  steps: number;
  mix: Record<Verbosity, number>;
}

export interface RunPlan {
  id: string;
  hypotheses: readonly string[];
  start: StartPlan;
  config: RunConfig;
  /** Control: every response begins with `</think>`, given with the prompt. */
  thinkShut: boolean;
}

/** Steps of pretraining, 1.44 M tokens, and what the arm with more of them has. */
export const PRETRAINING_STEPS = 600;
export const MORE_PRETRAINING_STEPS = 1600;
export const STRONGER_PRETRAINING_STEPS = 1000;
/** Peak learning rates of REINFORCE++, set by pilots. */
const rates: Record<Size, number> = { '25k': 1.2e-3, '100k': 7e-4, '398k': 4e-4 };
const usualMix = { full: 60, short: 0, direct: 40 };

function startOf(size: Size, seed: number, steps = PRETRAINING_STEPS, mix = usualMix): StartPlan {
  const mixed = mix === usualMix ? '' : `-full${mix.full}`;
  return { id: `${size}-${steps}${mixed}-s${seed}`, size, seed, steps, mix };
}

/** The run of the demonstration; every arm differs from it in what it says. */
function baseConfig(size: Size, seed: number, rho: number): RunConfig {
  const base = presets['micro-collapse'];
  return {
    ...base,
    preset: 'experiment',
    seed,
    data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false, rho },
    reward: { preset: 'logic-rl' },
    algorithm: algorithms['reinforce++'],
    rollout: { promptsPerStep: 16, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 48 },
    optimizer: { ...base.optimizer, learningRate: rates[size] },
    steps: 150,
    // Measured by the experiment itself: scripts/experiments/measure.ts.
    evaluation: { every: 100_000, items: 1, seed: 7, patience: 0 },
    checkpointEvery: 100_000,
  };
}

function run(
  hypotheses: readonly string[],
  start: StartPlan,
  seed: number,
  arm = 'base',
  change: Partial<RunConfig> = {},
  rho: number = rhoOf['.90'],
): RunPlan {
  return {
    id: `${start.id}/${arm}/rl${seed}`,
    hypotheses,
    start,
    config: { ...baseConfig(start.size, seed, rho), ...change },
    thinkShut: arm === 'no-think',
  };
}

const seeds = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);
/** The RL seeds of start s are 100 s + 1, 100 s + 2. */
const rlSeeds = (start: number, count: number): number[] => seeds(100 * start + 1, count);

const demonstration = seeds(1, 6).flatMap((start) =>
  rlSeeds(start, 2).map((seed) => run(['H1', 'H2', 'H3', 'H4', 'H5', 'H6'], startOf('25k', start), seed)),
);

/** Stronger starts: 1,000 steps of pretraining, seeds 11 to 16. */
const stronger = seeds(11, 6).flatMap((start) =>
  rlSeeds(start, 2).map((seed) => run(['H1b'], startOf('25k', start, STRONGER_PRETRAINING_STEPS), seed)),
);

const sizes = [
  ...seeds(1, 4).flatMap((start) =>
    rlSeeds(start, 2).map((seed) => run(['H2', 'H3'], startOf('100k', start), seed)),
  ),
  ...seeds(1, 3).flatMap((start) =>
    rlSeeds(start, 2).map((seed) => run(['H2', 'H3'], startOf('398k', start), seed)),
  ),
];

const shortcuts = (['.70', '.56'] as const).flatMap((share) =>
  seeds(1, 6).map((start) =>
    run(['H4'], startOf('25k', start), rlSeeds(start, 1)[0], `S${share}`, dataWith({ rho: rhoOf[share] })),
  ),
);

function dataWith(change: Partial<RunConfig['data']>): Partial<RunConfig> {
  return { data: { ...baseConfig('25k', 0, rhoOf['.90']).data, ...change } };
}

function algorithmWith(change: Partial<RunConfig['algorithm']>): Partial<RunConfig> {
  return { algorithm: { ...algorithms['reinforce++'], ...change } };
}

const arms: Record<string, Partial<RunConfig>> = {
  faithful: { reward: { preset: 'faithful' } },
  'kl-.05': algorithmWith({ kl: { ...algorithms['reinforce++'].kl, coefficient: 0.05 } }),
  debiased: dataWith({ dropShortcutRight: 0.9 }),
  'sft-answers': { method: 'sft-answers' },
  'length-penalty': algorithmWith({ lengthPenalty: 1 }),
  'no-think': {},
};

const prevention = seeds(1, 4).flatMap((start) => {
  const [seed] = rlSeeds(start, 1);
  return [
    ...Object.entries(arms).map(([arm, change]) => run(['H5'], startOf('25k', start), seed, arm, change)),
    run(['H5'], startOf('25k', start, PRETRAINING_STEPS, { full: 100, short: 0, direct: 0 }), seed),
    run(['H5'], startOf('25k', start, MORE_PRETRAINING_STEPS), seed),
  ];
});

const transfer = seeds(1, 4).flatMap((start) =>
  [1, 3].map((order) =>
    run(['H6'], startOf('25k', start), rlSeeds(start, 1)[0], `order-${order}`, dataWith({ orders: [order] })),
  ),
);

/** In the order in which they are made; what is last is dropped first. */
export const runs: readonly RunPlan[] = [
  ...demonstration,
  ...stronger,
  ...shortcuts.filter((_, index) => index < 6),
  ...sizes.slice(0, 8),
  ...prevention.filter(({ id }) => !id.includes('no-think')),
  ...shortcuts.slice(6),
  ...sizes.slice(8),
  ...transfer,
  ...prevention.filter(({ id }) => id.includes('no-think')),
];
