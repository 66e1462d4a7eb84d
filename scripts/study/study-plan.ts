/**
 * Counted runs of docs/study-2.md and docs/study-3a.md as pure data, in the order in which they are made. They are ordered by
 * seed, so an interrupted study has whole ladders or whole starts.
 *
 * A run is one start (a model pretrained here) and one training run from it; its id is unique.
 */
import { algorithms, presets, type RunConfig } from '../../src/index';

export type Size = '12k' | '25k' | '100k' | '398k';

export interface StartPlan {
  size: Size;
  /** Draws weights and examples: starts of one seed see the same tokens in the same order. */
  seed: number;
  /** Of 32 examples, about 2,400 tokens. */
  steps: number;
  /** Peak learning rate, where it is not the usual one. */
  rate?: number;
}

export type Study = '2' | '3a' | '3b';

export interface RunPlan {
  study: Exclude<Study, '3b'>;
  id: string;
  arm: string;
  start: StartPlan;
  config: RunConfig;
}

/** Fraction of stories in which no later swap touches the object; the shortcut is then right on .90 of orders 1 to 3. */
export const RHO = 0.82;
/** Steps of pretraining, by the rule of docs/study-2.md. */
const PRETRAINING_STEPS = 2000;
/** Peak rate of pretraining where it is not the usual one, by the same rule. */
const pretrainingRate: Partial<Record<Size, number>> = { '398k': 1e-3 };
/** Peak rates of REINFORCE++, those of the first study; 12k has that of 25k. */
const rates: Record<Size, number> = { '12k': 1.2e-3, '25k': 1.2e-3, '100k': 7e-4, '398k': 4e-4 };

export function startId({ size, steps, seed, rate }: StartPlan): string {
  return `${size}-${steps}${rate === undefined ? '' : `-rate${rate}`}-s${seed}`;
}

function configOf(size: Size, seed: number): RunConfig {
  const base = presets['swap-shortcut'];
  return {
    ...base,
    preset: 'study-2',
    seed,
    data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false, rho: RHO },
    reward: { preset: 'logic-rl' },
    algorithm: algorithms['reinforce++'],
    rollout: { promptsPerStep: 16, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 48 },
    optimizer: { ...base.optimizer, learningRate: rates[size] },
    steps: 150,
    // The job measures separately.
    evaluation: { every: 100_000, items: 1, seed: 7, patience: 0 },
    checkpointEvery: 100_000,
  };
}

/** The run of one start with RL seed 100 s + 1; an arm changes one thing of the base run. */
function run(
  size: Size,
  seed: number,
  arm = 'base',
  change: (config: RunConfig) => Partial<RunConfig> = () => ({}),
  steps = PRETRAINING_STEPS,
): RunPlan {
  const config = configOf(size, 100 * seed + 1);
  const rate = pretrainingRate[size];
  const start: StartPlan = { size, seed, steps, ...(rate !== undefined && { rate }) };
  return { study: '2', id: `${startId(start)}/${arm}`, arm, start, config: { ...config, ...change(config) } };
}

const seeds = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

const ladders = seeds(21, 10).flatMap((seed) => [
  run('12k', seed),
  run('25k', seed),
  run('398k', seed),
  ...(seed <= 25 ? [run('100k', seed)] : []),
]);

const withRate =
  (learningRate: number) =>
  ({ optimizer }: RunConfig): Partial<RunConfig> => ({ optimizer: { ...optimizer, learningRate } });

const arms = [
  ...seeds(21, 4).flatMap((seed) => [
    run('25k', seed, 'rate-4e-4', withRate(rates['398k'])),
    run('398k', seed, 'rate-1.2e-3', withRate(rates['25k'])),
  ]),
  ...seeds(21, 4).flatMap((seed) =>
    (['25k', '398k'] as const).map((size) =>
      run(size, seed, 'quarter-dose', undefined, PRETRAINING_STEPS / 4),
    ),
  ),
  ...seeds(21, 3).flatMap((seed) =>
    (['12k', '398k'] as const).flatMap((size) =>
      (['grpo', 'rloo'] as const).map((name) =>
        run(size, seed, name, () => ({ algorithm: algorithms[name] })),
      ),
    ),
  ),
];

export const runs: readonly RunPlan[] = [...ladders, ...arms];

/** Fractions S of items of orders 1 to 3 on which the shortcut is right, and the rho that gives each (20,000 items). */
export const SHORTCUT_SHARES = [
  { share: 0.565, rho: 0.2 },
  { share: 0.7, rho: 0.456 },
  { share: 0.8, rho: 0.634 },
  { share: 0.9, rho: RHO },
] as const;
export const TEMPERATURES = [0.6, 1] as const;

/** Study 3a: five starts, each at every S and temperature, with RL seed 100 s + 3. */
export const payRuns: readonly RunPlan[] = seeds(21, 5).flatMap((seed) =>
  SHORTCUT_SHARES.flatMap(({ share, rho }) =>
    TEMPERATURES.map((temperature): RunPlan => {
      const arm = `S${share}-T${temperature}`;
      const { id, start, config } = run('100k', seed, arm, ({ data, rollout }) => ({
        preset: 'study-3a',
        seed: 100 * seed + 3,
        steps: 400,
        data: { ...data, rho },
        rollout: { ...rollout, temperature },
      }));
      return { study: '3a', id, arm, start, config };
    }),
  ),
);
