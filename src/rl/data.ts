/**
 * Selects the items that a run trains on and the items that it is evaluated on. Generated items are a pure function of
 * (specification, seed, index). Training uses indices from 0 upwards, evaluation from 2^31, hard questions and other tasks
 * from 2^31 + 2^30, so no evaluation asks a trained item, even with one seed. Imported items are split by STORY, because a
 * story's other questions reveal its answer. Evaluation items of any data set exclude the stories used for training (in
 * ToM-RL's files, all 600 Hi-ToM test stories are also in training).
 *
 * The evaluation set is drawn without `dropShortcutRight`, which gives runs with and without de-biased questions the same
 * test.
 */
import { MarbleError } from '../base/error';
import { createRandom } from '../base/random';
import { withWorld } from '../tom/worlds/story-item';
import { generateDataset, generatorNames } from '../tom/worlds/generate';
import { heldOutTasks, worldOrders } from '../tom/worlds/orders';
import { isApart, isEasy, isHard, type DataSpec, type Item, type PromptBaseline } from '../tom/item';
import { splitByStory, storyOf, textOf } from '../tom/stories';
import type { RewardConfig } from '../reward/types';
import type { RunConfig } from '../run/config/config';
import { heldOutSets, questionCounts, type HeldOutSet } from '../run/config/evaluation-plan';

export interface EvalSuite {
  /** Items of the training orders. */
  items: Item[];
  /** Number of these, from the first, that an intermediate evaluation asks. */
  lookItems: number;
  /** Hard belief questions, in addition to those of `items` if these are few. */
  hard: Item[];
  /** Sets that training never uses, by name: `order 4`, `re-entry`, `longer stories`, `other world`. */
  heldOut: Record<string, Item[]>;
  /** Other tasks and imported data sets: separate rows in the table, which enter no other metric. */
  tasks: Item[];
  /** True if the run trains on items of this kind. */
  isTrained: (item: Item) => boolean;
  reward: RewardConfig;
  maxNewTokens: number;
}

export interface ItemSource {
  /**
   * Items `offset` to `offset + count - 1` of an endless order determined by the seed; a fixed set repeats in epochs.
   */
  training(offset: number, count: number): Item[];
  suite: EvalSuite;
}

/** The items of the imported data sets that a configuration names. */
export interface ImportedItems {
  /** Items of the data set that `data.source` names, if it is imported. */
  training?: readonly Item[];
  /** All items of the data sets in `evaluation.imported`. */
  evaluation?: readonly Item[];
}

const EVALUATION_OFFSET = 2 ** 31;
const HARD_OFFSET = 2 ** 31 + 2 ** 30;
const EPOCH_STREAM = 0x65706f;
const FIXED_SET_STREAM = 0x666978;
const DROP_STREAM = 0x64726f;
const TASK_STREAM = 0x746173;

/**
 * Selects the items of a run.
 *
 * @throws MarbleError `rl/no-items`, and those of `generateDataset`
 */
export function openItems(config: RunConfig, imported: ImportedItems = {}): ItemSource {
  const trained = imported.training === undefined ? null : splitForTraining(config, imported.training);
  const tasks = taskItems(config, imported.evaluation ?? [], trained?.train ?? []);
  const source = trained === null ? generatedItems(config, tasks) : importedItems(config, trained, tasks);
  const prompted = (items: readonly Item[]): Item[] => items.map((item) => withPrompt(item, config));
  const { suite } = source;
  return {
    training: (offset, count) => prompted(source.training(offset, count)),
    suite: withEachSet(suite, prompted),
  };
}

/** Applies `change` to every set of questions of a suite. */
export function withEachSet(suite: EvalSuite, change: (set: readonly Item[]) => Item[]): EvalSuite {
  const heldOut = Object.entries(suite.heldOut).map(([name, set]) => [name, change(set)] as const);
  return {
    ...suite,
    items: change(suite.items),
    hard: change(suite.hard),
    heldOut: Object.fromEntries(heldOut),
    tasks: change(suite.tasks),
  };
}

/** Returns the suite with the prompt of a baseline for every item (`formatPrompt`), to measure a model without training. */
export function withPromptBaseline(suite: EvalSuite, baseline: PromptBaseline): EvalSuite {
  return withEachSet(suite, (set) => set.map((item) => ({ ...item, baseline })));
}

/** Attaches the run's prompt settings to an item, from which training, evaluation and exports render its prompt. */
export function withPrompt(item: Item, { rollout }: Pick<RunConfig, 'rollout'>): Item {
  const { systemPrompt, systemText, instruction } = rollout;
  if ((systemPrompt ?? systemText ?? instruction) === undefined) return item;
  return { ...item, prompt: { systemPrompt, systemText, instruction } };
}

/**
 * Items of other tasks: generated ones, replaced by imported ones of the same data set. Excludes stories used for
 * training.
 */
function taskItems(config: RunConfig, imported: readonly Item[], seen: readonly Item[]): Item[] {
  const { seed } = config.evaluation;
  const counts = questionCounts(config);
  const unseen = unseenOf(imported, seen);
  if (imported.length > 0 && unseen.length === 0) {
    throw new MarbleError(
      'rl/no-items',
      `The run trains on the stories of all ${imported.length} items that it should be evaluated on.`,
      'Train on another data set, or evaluate on another: a part of the training set is evaluated anyway.',
    );
  }
  const missing = heldOutTasks.filter((source) => !datasetsOf(unseen).includes(source));
  const generated = missing.flatMap((source) => {
    const spec = { source, orders: [...worldOrders[source]], dropShortcutRight: 0, reentry: false, seed };
    return generateDataset({ ...spec, count: counts.task, offset: HARD_OFFSET });
  });
  const drawn = datasetsOf(unseen).flatMap((dataset, index) => {
    const random = createRandom(seed, TASK_STREAM, index);
    return random.sample(
      unseen.filter((item) => item.dataset === dataset),
      counts.imported,
    );
  });
  return [...generated, ...drawn.map(withWorld)];
}

/** Removes the items of stories in `seen`, also if they come from another data set or are told in other words. */
function unseenOf(items: readonly Item[], seen: readonly Item[]): Item[] {
  const texts = new Set(seen.map(textOf));
  const told = items.filter((item) => texts.has(textOf(item)));
  const stories = new Set([...seen, ...told].map(storyOf));
  return items.filter((item) => !stories.has(storyOf(item)));
}

function datasetsOf(items: readonly Item[]): string[] {
  return [...new Set(items.map(({ dataset }) => dataset))];
}

function generatedItems(config: RunConfig, tasks: Item[]): ItemSource {
  const { trainItems = 0, ...data } = config.data;
  const spec = { ...data, dropShortcutRight: 0, seed: config.evaluation.seed };
  const evaluationItems = (changed: Partial<DataSpec>, count: number): Item[] =>
    generateDataset({ ...spec, ...changed, offset: EVALUATION_OFFSET, count });
  const counts = questionCounts(config);
  const drawSet = ({ name, changed }: HeldOutSet): Item[] => {
    // Half of the stories that allow a re-entry have one, so more are drawn than needed.
    if (changed.reentry) {
      const some = evaluationItems(changed, 4 * counts.heldOut);
      return some.filter(({ kind }) => kind === name).slice(0, counts.heldOut);
    }
    const items = evaluationItems(changed, counts.heldOut);
    return changed.orders ? items : items.map((item) => ({ ...item, kind: name }));
  };
  const { datasets } = generatorNames().find(({ name }) => name === config.data.source) ?? {};
  const items = evaluationItems({}, counts.ends);
  const sets = heldOutSets(config.data).map((set) => [set.name, drawSet(set)] as const);
  const drawn = (offset: number, count: number): Item[] =>
    generateDataset({ ...data, seed: config.seed, offset, count });
  return {
    training:
      trainItems === 0
        ? drawn
        : (offset, count) => inEpochs(config.seed, trainItems, offset, count).flatMap((at) => drawn(at, 1)),
    suite: {
      items,
      hard: hardItems(spec, counts.hard - items.filter(isHardBelief).length),
      lookItems: counts.look,
      heldOut: Object.fromEntries(sets.filter(([, items]) => items.length > 0)),
      tasks,
      isTrained: isOfKind(config, datasets ?? []),
      reward: config.reward,
      maxNewTokens: config.rollout.maxNewTokens,
    },
  };
}

function isHardBelief(item: Item): boolean {
  return item.order > 0 && isHard(item);
}

/** Draws `count` hard items from a separate stream. Returns fewer, or none, if the shortcut is absent or always right. */
function hardItems(spec: DataSpec & { seed: number }, count: number): Item[] {
  const orders = spec.orders.filter((order) => order > 0);
  const found: Item[] = [];
  try {
    for (let offset = HARD_OFFSET; found.length < count && orders.length > 0; offset += count) {
      const drawn = generateDataset({ ...spec, orders, dropShortcutRight: 1, count, offset }).filter(
        isHardBelief,
      );
      if (drawn.length === 0) break;
      found.push(...drawn);
    }
  } catch (thrown) {
    if (!(thrown instanceof MarbleError) || thrown.code !== 'tom/shortcut-always-right') throw thrown;
  }
  return found.slice(0, count);
}

function isOfKind({ data }: RunConfig, datasets: readonly string[]): (item: Item) => boolean {
  return (item) =>
    datasets.includes(item.dataset) &&
    data.orders.includes(item.order) &&
    (!isApart(item) || (item.kind === 're-entry' && data.reentry));
}

/** Indices into a fixed set of `size` items that is shuffled anew each epoch; `offset` counts over all epochs. */
function inEpochs(seed: number, size: number, offset: number, count: number): number[] {
  const places = Array.from({ length: size }, (_, place) => place);
  const first = Math.floor(offset / size);
  const last = Math.floor((offset + count - 1) / size);
  const epochs = Array.from({ length: last - first + 1 }, (_, index) =>
    createRandom(seed, EPOCH_STREAM, first + index).shuffle(places),
  ).flat();
  return epochs.slice(offset - first * size, offset - first * size + count);
}

/** An imported data set, split by use. */
interface ImportedSplit {
  train: Item[];
  test: Item[];
  /** Hard items in addition to those in `test`. */
  hard: Item[];
}

function splitForTraining(config: RunConfig, imported: readonly Item[]): ImportedSplit {
  const { seed } = config.evaluation;
  const counts = questionCounts(config);
  const wanted = (item: Item): boolean => config.data.orders.includes(item.order);
  const { train: unasked, test } = splitByStory(imported, counts.ends, wanted, seed);
  const asked = test.filter(wanted);
  const wantedHard = (items: readonly Item[]): Item[] =>
    items.filter(wanted).map(withWorld).filter(isHardBelief);
  const lacking = Math.max(0, counts.hard - wantedHard(asked.slice(0, counts.ends)).length);
  const spare = wantedHard(asked.slice(counts.ends));
  // Only an explicit `hardItems` takes stories from training. Configurations of earlier versions lack it and keep their split.
  const isTaken = config.evaluation.hardItems !== undefined && spare.length < lacking;
  const isWanted = (item: Item): boolean => wantedHard([item]).length > 0;
  const looked = isTaken ? splitByStory(unasked, lacking - spare.length, isWanted, seed).test : [];
  const taken = wantedHard(looked);
  const gone = new Set(taken.map(storyOf));
  const rest = unasked.filter((item) => !gone.has(storyOf(item)));
  const hard = [...spare, ...taken].slice(0, lacking);
  const drop = createRandom(config.seed, DROP_STREAM);
  const { dropShortcutRight, trainItems = 0 } = config.data;
  const remaining = rest
    .filter(wanted)
    .map((item) => ({ item, draw: drop.uniform() }))
    .filter(({ item, draw }) => draw >= dropShortcutRight || isEasy(withWorld(item)) !== true)
    .map(({ item }) => item);
  const judged = asked.length;
  if (remaining.length === 0 || judged === 0) {
    throw new MarbleError(
      'rl/no-items',
      `Of ${imported.length} imported items, ${remaining.length} can be used for training and ${judged} for evaluation.`,
      'Import at least two stories with questions of the chosen orders.',
    );
  }
  const fixed = createRandom(config.seed, FIXED_SET_STREAM);
  const isFixed = trainItems > 0 && trainItems < remaining.length;
  return { train: isFixed ? fixed.sample(remaining, trainItems) : remaining, test, hard };
}

function importedItems(config: RunConfig, { train, test, hard }: ImportedSplit, tasks: Item[]): ItemSource {
  const { orders } = config.data;
  const counts = questionCounts(config);
  const heldOut: Record<string, Item[]> = {};
  for (const item of test.filter(({ order }) => !orders.includes(order))) {
    const set = (heldOut[`order ${item.order}`] ??= []);
    if (set.length < counts.heldOut) set.push(withWorld(item));
  }
  return {
    training: (offset, count) =>
      inEpochs(config.seed, train.length, offset, count).map((place) => withWorld(train[place])),
    suite: {
      items: test
        .filter(({ order }) => orders.includes(order))
        .slice(0, counts.ends)
        .map(withWorld),
      hard,
      lookItems: counts.look,
      heldOut,
      tasks,
      isTrained: isOfKind(config, datasetsOf(train)),
      reward: config.reward,
      maxNewTokens: config.rollout.maxNewTokens,
    },
  };
}
