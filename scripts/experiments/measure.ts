/**
 * What a policy does on the fixed sets of the experiments: greedy and sampled on the benchmark, greedy on what training
 * never asks. Every item's outcome is kept for the benchmark, so that any later rule can be applied to it; the other sets
 * are kept as counts.
 */
import type { Policy, RunConfig } from '../../src/index';
import { generateDataset } from '../../src/index';
import { toOutcomeTable } from '../../src/run/outcome-table';
import type { OutcomeTable } from '../../src/run/evaluation';
import { outcomeOf, type ItemOutcome } from '../../src/run/outcomes';
import { encodePrompt, sampleItems, stopIdsOf, tokenizerOf } from '../../src/rl/rollout';
import { score } from '../../src/reward/score';
import type { RewardConfig } from '../../src/reward/types';
import type { DataSpec, Item } from '../../src/tom/item';

export const OFFSET = 2 ** 31;
/** All runs are measured on the same items. */
export const SUITE_SEED = 20_261_121;
const ROWS = 128;
const world: DataSpec = { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false };

/** As `OutcomeTable`, one character an item; `shortcut` is its `shortcutRight`. */
export type Outcomes = Omit<OutcomeTable, 'shortcutRight'> & { shortcut: string };

/** Accuracy on a set of which no items are kept. */
export interface Counts {
  count: number;
  correct: number;
  faithful: number;
  shortcutRight: [correct: number, count: number];
  shortcutWrong: [correct: number, count: number];
  byOrder: Record<string, [correct: number, count: number]>;
  meanThinkLength: number;
}

export interface Measurement {
  greedy: Outcomes;
  sampled: Pick<Outcomes, 'correct'> & { meanThinkLength: number };
  /** Greedy, by the name of the set. */
  others: Record<string, Counts>;
}

export async function measure(policy: Policy, { data, rollout }: RunConfig): Promise<Measurement> {
  const rho = data.rho ?? 0;
  const benchmark = items({ rho }, 2000);
  const sampled = await complete(policy, benchmark, rollout.maxNewTokens, rollout.temperature);
  const others: Record<string, Counts> = {};
  for (const [name, set] of Object.entries(otherSets(rho))) {
    others[name] = countsOf(await complete(policy, set, rollout.maxNewTokens, 0));
  }
  return {
    greedy: outcomesOf(await complete(policy, benchmark, rollout.maxNewTokens, 0)),
    sampled: {
      correct: outcomesOf(sampled).correct,
      meanThinkLength: meanOf(sampled.map(({ thinkTokens }) => thinkTokens)),
    },
    others,
  };
}

/** A look in between: the first 500 items of the benchmark and 300 of the other world. */
export async function look(
  policy: Policy,
  { data, rollout }: RunConfig,
): Promise<{ benchmark: Counts; otherWorld: Counts }> {
  const at = (spec: Partial<DataSpec>, count: number): Promise<ItemOutcome[]> =>
    complete(policy, items(spec, count), rollout.maxNewTokens, 0);
  return {
    benchmark: countsOf(await at({ rho: data.rho }, 500)),
    otherWorld: countsOf(await at({}, 300)),
  };
}

export interface ForecastMeasurement {
  /** Mean sampled reward with the think block forced empty, and with a full trace forced open. */
  empty: number;
  full: number;
  count: number;
}

/** The forecast's own quantities: the run's reward at the run's temperature, 1,000 items each. */
export async function measureForecast(
  policy: Policy,
  { data, rollout, reward }: RunConfig,
): Promise<ForecastMeasurement> {
  const set = items({ rho: data.rho }, 1000, 1);
  const tokenizer = tokenizerOf(policy);
  const mean = async (begin: (item: Item) => string): Promise<number> => {
    let total = 0;
    for (let first = 0; first < set.length; first += ROWS) {
      const batch = set.slice(first, first + ROWS);
      const forced = batch.map((item) => tokenizer.encode(begin(item)));
      const completions = await policy.generate(
        batch.map((item, row) => [...encodePrompt(policy, item, rollout.maxNewTokens), ...forced[row]]),
        {
          samplesPerPrompt: 1,
          maxNewTokens: rollout.maxNewTokens - forced[0].length,
          temperature: rollout.temperature,
          seed: SUITE_SEED + first,
          stopIds: stopIdsOf(policy),
        },
      );
      completions.forEach(({ tokens }, row) => {
        total += score(tokenizer.decode([...forced[row], ...tokens]), batch[row], reward).total;
      });
    }
    return total / set.length;
  };
  return { empty: await mean(() => '</think>'), full: await mean(() => 'start'), count: set.length };
}

function otherSets(rho: number): Record<string, Item[]> {
  return {
    'other world': items({}, 1000),
    'order 0': items({ rho, orders: [0] }, 300),
    'order 4': items({ rho, orders: [4] }, 300),
    're-entry': items({ rho, reentry: true }, 600).filter(({ kind }) => kind === 're-entry'),
    'longer stories': items({ rho, events: 9 }, 300),
  };
}

function items(spec: Partial<DataSpec>, count: number, set = 0): Item[] {
  return generateDataset({ ...world, ...spec, count, seed: SUITE_SEED + set, offset: OFFSET });
}

export async function complete(
  policy: Policy,
  set: readonly Item[],
  maxNewTokens: number,
  temperature: number,
  reward: RewardConfig = { preset: 'logic-rl' },
): Promise<ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  for (let first = 0; first < set.length; first += ROWS) {
    const options = { samplesPerPrompt: 1, maxNewTokens, temperature, seed: SUITE_SEED + first };
    const samples = await sampleItems(policy, set.slice(first, first + ROWS), options, reward);
    outcomes.push(...samples.map(outcomeOf));
  }
  return outcomes;
}

/** The columns of the library's table, the shortcut's under the name that the lines have for it. */
export function outcomesOf(outcomes: readonly ItemOutcome[]): Outcomes {
  const { shortcutRight: shortcut, ...columns } = toOutcomeTable(outcomes);
  return { ...columns, shortcut };
}

export function countsOf(outcomes: readonly ItemOutcome[]): Counts {
  const pair = (chosen: readonly ItemOutcome[]): [number, number] => [
    chosen.filter(({ correct }) => correct).length,
    chosen.length,
  ];
  const orders = [...new Set(outcomes.map(({ order }) => order))].sort((a, b) => a - b);
  return {
    count: outcomes.length,
    correct: pair(outcomes)[0],
    faithful: outcomes.filter(({ trace }) => trace === 'faithful').length,
    shortcutRight: pair(outcomes.filter(({ shortcutRight }) => shortcutRight === true)),
    shortcutWrong: pair(outcomes.filter(({ shortcutRight }) => shortcutRight === false)),
    byOrder: Object.fromEntries(
      orders.map((order) => [String(order), pair(outcomes.filter((outcome) => outcome.order === order))]),
    ),
    meanThinkLength: meanOf(outcomes.map(({ thinkTokens }) => thinkTokens)),
  };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
