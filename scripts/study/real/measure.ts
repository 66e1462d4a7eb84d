/**
 * Evaluates a policy on the fixed items of study 3b, which no training run draws: 200 easy and 100 hard stories, each
 * greedy and sampled at temperature 1, and 60 stories of order 2, greedy.
 */
import { generateDataset, presets, type Policy } from '../../../src/index';
import { mean } from '../../../src/base/statistics';
import type { OutcomeTable } from '../../../src/run/record/evaluation';
import { toOutcomeTable } from '../../../src/run/verdict/outcome-table';
import { outcomeOf } from '../../../src/run/verdict/outcomes';
import type { Sample } from '../../../src/run/record/sample';
import type { Item } from '../../../src/tom/item';
import { answersTo, meanForcedReward, OFFSET, type Suite } from '../answers';

const suite: Suite = { seed: 20_261_126, rows: 32, maxNewTokens: 128 };
/** Stories of each kind for the pay of a way of thinking. */
const PAID_ITEMS = 30;

/** Answers to the items of a set, with what an outcome leaves out. */
export interface Answers {
  outcomes: OutcomeTable;
  /** Fraction of completions in the required format. */
  format: number;
  /** Fraction of answers with a statement that the reader of traces cannot read. */
  unread: number;
  words: number;
}

export interface RealMeasurement {
  greedy: { easy: Answers; hard: Answers; 'order 2': Answers };
  sampled: { easy: Answers; hard: Answers };
  /** Mean reward `logic-rl` of sampled answers whose thinking is forced to begin in this way. */
  pay: Record<keyof typeof openings, Record<'easy' | 'hard', number>>;
}

/** First words of the thinking: of a full trace, of the conclusion alone, and of an empty block. */
const openings = { full: 'At first', short: 'So', empty: '</think>' };

const sets = {
  easy: { rho: 1, count: 200, orders: [1] },
  hard: { rho: 0, count: 100, orders: [1] },
  'order 2': { rho: 0.5, count: 60, orders: [2] },
};

type SetName = keyof typeof sets;

function itemsOf(name: SetName, seed = suite.seed): Item[] {
  return generateDataset({ ...presets['first-run-135m'].data, ...sets[name], seed, offset: OFFSET });
}

/** Parts of a measurement that are made, by name, such as `greedy easy`. */
export type MeasuredParts = Record<string, Answers | Record<'easy' | 'hard', number>>;

/**
 * Measures a policy. Each part takes minutes, so the parts are kept as they come.
 *
 * @param made - parts of an interrupted measurement
 * @param keep - called with all parts after each
 */
export async function measureReal(
  policy: Policy,
  made: MeasuredParts,
  keep: (parts: MeasuredParts) => void,
): Promise<RealMeasurement> {
  const parts = { ...made };
  const part = async <T extends MeasuredParts[string]>(
    name: string,
    measure: () => Promise<T>,
  ): Promise<T> => {
    if (!(name in parts)) {
      parts[name] = await measure();
      keep(parts);
    }
    return parts[name] as T;
  };
  const ask = (way: 'greedy' | 'sampled', name: SetName): Promise<Answers> =>
    part(`${way} ${name}`, () => answer(policy, itemsOf(name), way === 'greedy' ? 0 : 1));
  const pay = (opening: keyof typeof openings): Promise<Record<'easy' | 'hard', number>> =>
    part(`pay ${opening}`, async () => ({
      easy: await rewardOf(opening, 'easy'),
      hard: await rewardOf(opening, 'hard'),
    }));
  const rewardOf = (opening: keyof typeof openings, name: SetName): Promise<number> => {
    const items = itemsOf(name, suite.seed + 1).slice(0, PAID_ITEMS); // separate items
    return meanForcedReward(policy, items, openings[opening], suite, 1);
  };
  // The hard questions come first, since they decide whether a start counts.
  const hard = { sampled: await ask('sampled', 'hard'), greedy: await ask('greedy', 'hard') };
  return {
    sampled: { easy: await ask('sampled', 'easy'), hard: hard.sampled },
    greedy: {
      easy: await ask('greedy', 'easy'),
      hard: hard.greedy,
      'order 2': await ask('greedy', 'order 2'),
    },
    pay: { full: await pay('full'), short: await pay('short'), empty: await pay('empty') },
  };
}

async function answer(policy: Policy, items: readonly Item[], temperature: number): Promise<Answers> {
  const samples = await answersTo(policy, items, suite, temperature);
  const isUnread = ({ reward }: Sample): boolean =>
    reward.trace?.statements.some(({ verdict }) => verdict === 'unread') ?? false;
  return {
    outcomes: toOutcomeTable(samples.map(outcomeOf)),
    format: mean(samples.map(({ reward }) => Number(reward.formatHolds))),
    unread: mean(samples.map((sample) => Number(isUnread(sample)))),
    words: mean(samples.map(({ reward }) => reward.think.split(/\s+/).filter(Boolean).length)),
  };
}
