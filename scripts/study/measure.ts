/**
 * Evaluates a policy on the study's fixed items, which no training run draws: 1,000 of the benchmark, 1,000 on which the
 * shortcut is wrong, 500 of the world at large and 300 each of orders 0 and 4. Keeps every outcome of the first two sets.
 */
import { generateDataset, type Policy } from '../../src/index';
import type { StartReward } from '../../src/run/recording/paid-step';
import { mean } from '../../src/base/statistics';
import { toOutcomeTable } from '../../src/run/verdict/outcome-table';
import type { OutcomeTable } from '../../src/run/record/evaluation';
import { outcomeOf, type ItemOutcome } from '../../src/run/verdict/outcomes';
import type { DataSpec } from '../../src/tom/item';
import { answersTo, meanForcedReward, OFFSET, type Suite } from './answers';
import { RHO } from './study-plan';

const suite: Suite = { seed: 20_261_123, rows: 128, maxNewTokens: 48 };

const world: DataSpec = { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false };
const sets = {
  benchmark: { rho: RHO },
  hard: { rho: RHO, dropShortcutRight: 1 },
  world: {},
  'order 0': { rho: RHO, orders: [0] },
  'order 4': { rho: RHO, orders: [4] },
} satisfies Record<string, Partial<DataSpec>>;

type SetName = keyof typeof sets;

/** Greedy results of a set whose outcomes are not kept. */
interface Counts {
  count: number;
  correct: number;
  faithful: number;
  meanThinkLength: number;
}

export interface Measurement {
  /** Greedy. */
  benchmark: OutcomeTable;
  hard: OutcomeTable;
  /** The benchmark at temperature 1: one character an item. */
  sampled: { correct: string; meanThinkLength: number };
  world: Counts;
  'order 0': Counts;
  'order 4': Counts;
}

export async function measure(policy: Policy): Promise<Measurement> {
  const counts = async (name: SetName, count: number): Promise<Counts> =>
    countsOf(await answer(policy, name, count, 0));
  const sampled = await answer(policy, 'benchmark', 1000, 1);
  return {
    benchmark: toOutcomeTable(await answer(policy, 'benchmark', 1000, 0)),
    hard: toOutcomeTable(await answer(policy, 'hard', 1000, 0)),
    sampled: { correct: toOutcomeTable(sampled).correct, meanThinkLength: countsOf(sampled).meanThinkLength },
    world: await counts('world', 500),
    'order 0': await counts('order 0', 300),
    'order 4': await counts('order 4', 300),
  };
}

export type Look = Record<'benchmark' | 'hard' | 'world', Counts>;

/** The first 200 items of three sets, greedy. */
export async function look(policy: Policy): Promise<Look> {
  const at = async (name: SetName): Promise<Counts> => countsOf(await answer(policy, name, 200, 0));
  return { benchmark: await at('benchmark'), hard: await at('hard'), world: await at('world') };
}

/**
 * Mean sampled reward with a full trace forced open, and with the think block forced empty, on 500 separate benchmark
 * items; d is full - empty.
 */
export async function measureModes(
  policy: Policy,
  { rho = RHO, temperature = 1 }: { rho?: number; temperature?: number } = {},
): Promise<StartReward> {
  const items = generateDataset({ ...world, rho, count: 500, seed: suite.seed + 1, offset: OFFSET });
  const meanReward = (opening: string): Promise<number> =>
    meanForcedReward(policy, items, opening, suite, temperature);
  return { empty: await meanReward('</think>'), full: await meanReward('start'), count: items.length };
}

/** One answer to each item of a set. The hard items are drawn apart, or those of the benchmark would be among them. */
async function answer(
  policy: Policy,
  name: SetName,
  count: number,
  temperature: number,
): Promise<ItemOutcome[]> {
  const seed = suite.seed + (name === 'hard' ? 2 : 0);
  const items = generateDataset({ ...world, ...sets[name], count, seed, offset: OFFSET });
  return (await answersTo(policy, items, suite, temperature)).map(outcomeOf);
}

function countsOf(outcomes: readonly ItemOutcome[]): Counts {
  return {
    count: outcomes.length,
    correct: outcomes.filter(({ correct }) => correct).length,
    faithful: outcomes.filter(({ trace }) => trace === 'faithful').length,
    meanThinkLength: mean(outcomes.map(({ thinkTokens }) => thinkTokens)),
  };
}
