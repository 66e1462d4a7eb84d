/**
 * Which items a run trains on and which it is judged by. Generated items are a pure function of (specification, seed,
 * index): training takes indices from 0 up, evaluation from 2^31 up, so that they never meet even under one seed.
 * Imported items are split by STORY, because a story's other questions give its answer away.
 *
 * The evaluation set is drawn without `dropShortcutRight`: arms with and without de-biased questions are judged alike.
 */
import { MarbleError } from '../error';
import { createRandom } from '../random';
import { generateDataset, generatorNames } from '../tom/generate';
import type { Item } from '../tom/item';
import type { RewardConfig } from '../reward/types';
import type { RunConfig } from './config';

/** Everything that `evaluate` needs besides the policy. */
export interface EvalSuite {
  /** Of the training orders. */
  items: Item[];
  /** Sets that training never sees, by name: `order 4`, `re-entry`. */
  heldOut: Record<string, Item[]>;
  reward: RewardConfig;
  maxNewTokens: number;
}

export interface ItemSource {
  /** Items `offset` to `offset + count - 1` of an endless order that the seed fixes. */
  training(offset: number, count: number): Item[];
  suite: EvalSuite;
}

const EVALUATION_OFFSET = 2 ** 31;
const EPOCH_STREAM = 0x65706f;
const DROP_STREAM = 0x64726f;

/**
 * @param imported the items of an imported data set, where `config.data.source` names one
 * @throws MarbleError `rl/no-items`, `rl/training-forbidden`, and what `generateDataset` throws
 */
export function openItems(config: RunConfig, imported?: readonly Item[]): ItemSource {
  return imported === undefined ? generatedItems(config) : importedItems(config, imported);
}

function suiteOf(config: RunConfig, items: Item[], heldOut: Record<string, Item[]>): EvalSuite {
  return { items, heldOut, reward: config.reward, maxNewTokens: config.rollout.maxNewTokens };
}

function heldOutCount(config: RunConfig): number {
  return Math.ceil(config.evaluation.items / 4);
}

function generatedItems(config: RunConfig): ItemSource {
  const spec = { ...config.data, dropShortcutRight: 0, seed: config.evaluation.seed };
  const evaluationItems = (changed: Partial<typeof spec>, count: number): Item[] =>
    generateDataset({ ...spec, ...changed, offset: EVALUATION_OFFSET, count });
  const heldOut: Record<string, Item[]> = {};
  const orders = generatorNames().find(({ name }) => name === config.data.source)?.orders ?? [];
  for (const order of orders.filter((candidate) => !config.data.orders.includes(candidate))) {
    heldOut[`order ${order}`] = evaluationItems({ orders: [order] }, heldOutCount(config));
  }
  if (!config.data.reentry) {
    const returns = evaluationItems({ reentry: true }, 4 * heldOutCount(config)).filter(
      (item) => item.kind === 're-entry',
    );
    // Only some worlds have agents who come back.
    if (returns.length > 0) heldOut['re-entry'] = returns.slice(0, heldOutCount(config));
  }
  return {
    training: (offset, count) => generateDataset({ ...config.data, seed: config.seed, offset, count }),
    suite: suiteOf(config, evaluationItems({}, config.evaluation.items), heldOut),
  };
}

function importedItems(config: RunConfig, imported: readonly Item[]): ItemSource {
  const forbidden = imported.find((item) => item.training === 'forbidden');
  if (forbidden !== undefined) {
    throw new MarbleError(
      'rl/training-forbidden',
      `Item "${forbidden.id}" of ${forbidden.dataset} may not be trained on by its terms.`,
      'Use this data set for evaluation only and train on another.',
    );
  }
  const random = createRandom(config.evaluation.seed, EPOCH_STREAM);
  const stories = random.shuffle([...new Set(imported.map((item) => item.storyId))]);
  const wanted = (item: Item): boolean => config.data.orders.includes(item.order);
  const judging: Item[] = [];
  const judged = new Set<string>();
  for (const story of stories.slice(0, Math.floor(stories.length / 2))) {
    if (judging.filter(wanted).length >= config.evaluation.items) {
      break;
    }
    judged.add(story);
    judging.push(...imported.filter((item) => item.storyId === story));
  }
  const drop = createRandom(config.seed, DROP_STREAM);
  const training = imported.filter(
    (item) => wanted(item) && !judged.has(item.storyId) && !isDropped(item, config, drop.uniform()),
  );
  const items = judging.filter(wanted).slice(0, config.evaluation.items);
  if (training.length === 0 || items.length === 0) {
    throw new MarbleError(
      'rl/no-items',
      `Of ${imported.length} imported items ${training.length} can be trained on and ${items.length} evaluated.`,
      'Import at least two stories with questions of the chosen orders.',
    );
  }
  const heldOut: Record<string, Item[]> = {};
  for (const item of judging.filter((candidate) => !wanted(candidate))) {
    (heldOut[`order ${item.order}`] ??= []).push(item);
  }
  const inEpoch = (epoch: number): Item[] => createRandom(config.seed, EPOCH_STREAM, epoch).shuffle(training);
  return {
    training: (offset, count) => {
      const first = Math.floor(offset / training.length);
      const last = Math.floor((offset + count - 1) / training.length);
      const epochs = Array.from({ length: last - first + 1 }, (_, i) => inEpoch(first + i)).flat();
      const start = offset - first * training.length;
      return epochs.slice(start, start + count);
    },
    suite: suiteOf(
      config,
      items,
      Object.fromEntries(
        Object.entries(heldOut).map(([name, set]) => [name, set.slice(0, heldOutCount(config))]),
      ),
    ),
  };
}

function isDropped(item: Item, config: RunConfig, draw: number): boolean {
  const shortcutRight = Object.values(item.shortcuts).includes(item.answer);
  return shortcutRight && draw < config.data.dropShortcutRight;
}
