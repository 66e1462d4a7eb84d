/**
 * Which items a run trains on and which it is judged by. Generated items are a pure function of (specification, seed,
 * index): training takes indices from 0 up, evaluation from 2^31 up, so that they never meet even under one seed.
 * Imported items are split by STORY, because a story's other questions give its answer away; and what is evaluated of any
 * data set leaves out the stories that the run trains on (in ToM-RL's files all 600 Hi-ToM test stories are training's too).
 *
 * The evaluation set is drawn without `dropShortcutRight`: arms with and without de-biased questions are judged alike.
 */
import { MarbleError } from '../error';
import { createRandom } from '../random';
import { withWorld } from '../tom/derive';
import { generateDataset, generatorNames } from '../tom/generate';
import { heldOutItems } from '../tom/held-out';
import { isShortcutRight, type Item } from '../tom/item';
import { requireTrainable, splitByStory } from '../tom/split';
import type { RewardConfig } from '../reward/types';
import type { RunConfig } from './config';

/** Everything that `evaluate` needs besides the policy. */
export interface EvalSuite {
  /** Of the training orders. */
  items: Item[];
  /** How many of these, from the first, a look in between asks. */
  lookItems: number;
  /** Sets that training never sees, by name: `order 4`, `re-entry`. */
  heldOut: Record<string, Item[]>;
  /** Other tasks and imported data sets: rows of their own in the table, and in no other figure. */
  tasks: Item[];
  /** Whether the run trains on items of this one's kind. */
  isTrained: (item: Item) => boolean;
  reward: RewardConfig;
  maxNewTokens: number;
}

export interface ItemSource {
  /** Items `offset` to `offset + count - 1` of an endless order that the seed fixes. */
  training(offset: number, count: number): Item[];
  suite: EvalSuite;
}

/** The items of the imported data sets that a configuration names. */
export interface ImportedItems {
  /** Where `data.source` names one. */
  training?: readonly Item[];
  /** All items of those in `evaluation.imported`. */
  evaluation?: readonly Item[];
}

const EVALUATION_OFFSET = 2 ** 31;
const EPOCH_STREAM = 0x65706f;
const DROP_STREAM = 0x64726f;
const TASK_STREAM = 0x746173;

/** @throws MarbleError `rl/no-items`, `tom/training-forbidden`, and what `generateDataset` throws */
export function openItems(config: RunConfig, imported: ImportedItems = {}): ItemSource {
  const trained = imported.training === undefined ? null : splitForTraining(config, imported.training);
  const tasks = taskItems(config, imported.evaluation ?? [], trained?.train ?? []);
  return trained === null ? generatedItems(config, tasks) : importedItems(config, trained, tasks);
}

function finalCount({ evaluation: { items, finalItems = items } }: RunConfig): number {
  return Math.max(items, finalItems);
}

function heldOutCount(config: RunConfig): number {
  return Math.ceil(config.evaluation.items / 4);
}

/** Generated tasks and, in their place where there are any, the imported ones; without a story that is trained on. */
function taskItems(config: RunConfig, imported: readonly Item[], trained: readonly Item[]): Item[] {
  const { seed, items, taskItems: perTask = 0, importedItems = items } = config.evaluation;
  const trainedStories = new Set(trained.map(({ storyId }) => storyId));
  const unseen = imported.filter(({ storyId }) => !trainedStories.has(storyId));
  if (imported.length > 0 && unseen.length === 0) {
    throw new MarbleError(
      'rl/no-items',
      `The run trains on the stories of all ${imported.length} items that it should be evaluated on.`,
      'Train on another data set, or evaluate on another: a part of the training set is evaluated anyway.',
    );
  }
  const generated = perTask === 0 ? [] : heldOutItems({ seed, perTask, except: datasetsOf(unseen) });
  const drawn = datasetsOf(unseen).flatMap((dataset, index) => {
    const random = createRandom(seed, TASK_STREAM, index);
    return random.sample(
      unseen.filter((item) => item.dataset === dataset),
      importedItems,
    );
  });
  return [...generated, ...drawn.map(withWorld)];
}

function datasetsOf(items: readonly Item[]): string[] {
  return [...new Set(items.map(({ dataset }) => dataset))];
}

function generatedItems(config: RunConfig, tasks: Item[]): ItemSource {
  const spec = { ...config.data, dropShortcutRight: 0, seed: config.evaluation.seed };
  const evaluationItems = (changed: Partial<typeof spec>, count: number): Item[] =>
    generateDataset({ ...spec, ...changed, offset: EVALUATION_OFFSET, count });
  const heldOut: Record<string, Item[]> = {};
  const generator = generatorNames().find(({ name }) => name === config.data.source);
  const orders = generator?.orders ?? [];
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
    suite: {
      items: evaluationItems({}, finalCount(config)),
      lookItems: config.evaluation.items,
      heldOut,
      tasks,
      isTrained: isOfKind(config, generator?.datasets ?? []),
      reward: config.reward,
      maxNewTokens: config.rollout.maxNewTokens,
    },
  };
}

function isOfKind({ data }: RunConfig, datasets: readonly string[]): (item: Item) => boolean {
  return ({ dataset, order, kind }) =>
    datasets.includes(dataset) && data.orders.includes(order) && (kind !== 're-entry' || data.reentry);
}

function splitForTraining(config: RunConfig, imported: readonly Item[]): { train: Item[]; test: Item[] } {
  requireTrainable(imported);
  const wanted = (item: Item): boolean => config.data.orders.includes(item.order);
  const { train, test } = splitByStory(imported, finalCount(config), wanted, config.evaluation.seed);
  const drop = createRandom(config.seed, DROP_STREAM);
  const { dropShortcutRight } = config.data;
  const kept = train
    .filter(wanted)
    .map((item) => ({ item, draw: drop.uniform() }))
    .filter(({ item, draw }) => draw >= dropShortcutRight || isShortcutRight(withWorld(item)) !== true);
  const judged = test.filter(wanted).length;
  if (kept.length === 0 || judged === 0) {
    throw new MarbleError(
      'rl/no-items',
      `Of ${imported.length} imported items ${kept.length} can be trained on and ${judged} evaluated.`,
      'Import at least two stories with questions of the chosen orders.',
    );
  }
  return { train: kept.map(({ item }) => item), test };
}

function importedItems(
  config: RunConfig,
  { train, test }: { train: Item[]; test: Item[] },
  tasks: Item[],
): ItemSource {
  const { orders } = config.data;
  const heldOut: Record<string, Item[]> = {};
  for (const item of test.filter(({ order }) => !orders.includes(order))) {
    const set = (heldOut[`order ${item.order}`] ??= []);
    if (set.length < heldOutCount(config)) set.push(withWorld(item));
  }
  const inEpoch = (epoch: number): Item[] => createRandom(config.seed, EPOCH_STREAM, epoch).shuffle(train);
  return {
    training: (offset, count) => {
      const first = Math.floor(offset / train.length);
      const last = Math.floor((offset + count - 1) / train.length);
      const epochs = Array.from({ length: last - first + 1 }, (_, i) => inEpoch(first + i)).flat();
      const start = offset - first * train.length;
      return epochs.slice(start, start + count).map(withWorld);
    },
    suite: {
      items: test
        .filter(({ order }) => orders.includes(order))
        .slice(0, finalCount(config))
        .map(withWorld),
      lookItems: config.evaluation.items,
      heldOut,
      tasks,
      isTrained: isOfKind(config, datasetsOf(train)),
      reward: config.reward,
      maxNewTokens: config.rollout.maxNewTokens,
    },
  };
}
