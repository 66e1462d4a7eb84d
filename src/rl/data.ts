/**
 * Which items a run trains on and which it is judged by. Generated items are a pure function of (specification, seed,
 * index): training takes indices from 0 up, evaluation from 2^31 up, validation from 2^31 + 2^29 up, hard questions
 * from 2^31 + 2^30 up, so that they never meet even under one seed. Imported items are split by STORY, because a story's other questions give its answer away; and
 * what is evaluated of any data set leaves out the stories that the run trains on or is validated by (in ToM-RL's files all
 * 600 Hi-ToM test stories are training's too).
 *
 * The evaluation set is drawn without `dropShortcutRight`: arms with and without de-biased questions are judged alike. So
 * is the validation set, which early stopping and the best checkpoint go by, so that what is reported chose nothing.
 */
import { MarbleError } from '../base/error';
import { createRandom } from '../base/random';
import { withWorld } from '../tom/import/derive';
import { generateDataset, generatorNames } from '../tom/worlds/generate';
import { heldOutItems } from '../tom/worlds/held-out';
import { isApart, isShortcutRight, type DataSpec, type Item } from '../tom/item';
import { requireTrainable, splitByStory, storyOf } from '../tom/split';
import type { RewardConfig } from '../reward/types';
import type { RunConfig } from '../run/config/config';
import { heldOutSets, questionCounts, type HeldOutSet } from '../run/config/evaluation-plan';

export interface EvalSuite {
  /** Of the training orders. */
  items: Item[];
  /** How many of these, from the first, a look in between asks. */
  lookItems: number;
  /** Questions of belief on which the shortcut is wrong, drawn beside those of `items` where these are few. */
  hard: Item[];
  /** Sets that training never sees, by name: `order 4`, `re-entry`, `longer stories`, `other world`. */
  heldOut: Record<string, Item[]>;
  /** Other tasks and imported data sets: rows of their own in the table, and in no other figure. */
  tasks: Item[];
  /** Whether the run trains on items of this one's kind. */
  isTrained: (item: Item) => boolean;
  reward: RewardConfig;
  maxNewTokens: number;
}

export interface ItemSource {
  /** Items `offset` to `offset + count - 1` of an endless order that the seed fixes; a fixed set is gone through anew each epoch. */
  training(offset: number, count: number): Item[];
  /** What early stopping and the best checkpoint go by; empty where they go by the suite itself. */
  validation: Item[];
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
const VALIDATION_OFFSET = 2 ** 31 + 2 ** 29;
const HARD_OFFSET = 2 ** 31 + 2 ** 30;
const EPOCH_STREAM = 0x65706f;
const FIXED_SET_STREAM = 0x666978;
const DROP_STREAM = 0x64726f;
const TASK_STREAM = 0x746173;

/** @throws MarbleError `rl/no-items`, `tom/training-forbidden`, and what `generateDataset` throws */
export function openItems(config: RunConfig, imported: ImportedItems = {}): ItemSource {
  const trained = imported.training === undefined ? null : splitForTraining(config, imported.training);
  const seen = trained === null ? [] : [...trained.train, ...trained.validation];
  const tasks = taskItems(config, imported.evaluation ?? [], seen);
  const source = trained === null ? generatedItems(config, tasks) : importedItems(config, trained, tasks);
  const asked = (items: readonly Item[]): Item[] => items.map((item) => withPrompt(item, config));
  const { suite } = source;
  return {
    training: (offset, count) => asked(source.training(offset, count)),
    validation: asked(source.validation),
    suite: {
      ...suite,
      items: asked(suite.items),
      hard: asked(suite.hard),
      heldOut: Object.fromEntries(Object.entries(suite.heldOut).map(([name, set]) => [name, asked(set)])),
      tasks: asked(suite.tasks),
    },
  };
}

/** The item with the run's prompt: training, evaluation and exports all render it from there. */
export function withPrompt(item: Item, { rollout }: Pick<RunConfig, 'rollout'>): Item {
  const { systemPrompt, systemText, instruction } = rollout;
  if ((systemPrompt ?? systemText ?? instruction) === undefined) return item;
  return { ...item, prompt: { systemPrompt, systemText, instruction } };
}

/**
 * Generated tasks and, in their place where there are any, the imported ones; without a story that is trained on or
 * validated by.
 */
function taskItems(config: RunConfig, imported: readonly Item[], seen: readonly Item[]): Item[] {
  const { seed } = config.evaluation;
  const counts = questionCounts(config);
  const seenStories = new Set(seen.map(storyOf));
  const unseen = imported.filter((item) => !seenStories.has(storyOf(item)));
  if (imported.length > 0 && unseen.length === 0) {
    throw new MarbleError(
      'rl/no-items',
      `The run trains on the stories of all ${imported.length} items that it should be evaluated on.`,
      'Train on another data set, or evaluate on another: a part of the training set is evaluated anyway.',
    );
  }
  const generated =
    counts.task === 0 ? [] : heldOutItems({ seed, perTask: counts.task, except: datasetsOf(unseen) });
  const drawn = datasetsOf(unseen).flatMap((dataset, index) => {
    const random = createRandom(seed, TASK_STREAM, index);
    return random.sample(
      unseen.filter((item) => item.dataset === dataset),
      counts.imported,
    );
  });
  return [...generated, ...drawn.map(withWorld)];
}

function datasetsOf(items: readonly Item[]): string[] {
  return [...new Set(items.map(({ dataset }) => dataset))];
}

function generatedItems(config: RunConfig, tasks: Item[]): ItemSource {
  const { trainItems = 0, ...data } = config.data;
  const spec = { ...data, dropShortcutRight: 0, seed: config.evaluation.seed };
  const evaluationItems = (changed: Partial<DataSpec>, count: number, offset = EVALUATION_OFFSET): Item[] =>
    generateDataset({ ...spec, ...changed, offset, count });
  const counts = questionCounts(config);
  const drawSet = ({ name, changed }: HeldOutSet): Item[] => {
    // Where somebody may come back, somebody does in one story of two.
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
    validation: evaluationItems({}, counts.validation, VALIDATION_OFFSET),
    suite: {
      items,
      hard: hardItems(spec, counts.hard - items.filter(isHard).length),
      lookItems: counts.look,
      heldOut: Object.fromEntries(sets.filter(([, items]) => items.length > 0)),
      tasks,
      isTrained: isOfKind(config, datasets ?? []),
      reward: config.reward,
      maxNewTokens: config.rollout.maxNewTokens,
    },
  };
}

/** A question of belief on which the shortcut is wrong: only these tell a shortcut from reasoning. */
function isHard(item: Item): boolean {
  return item.order > 0 && isShortcutRight(item) === false;
}

/** So many hard items of a stream of their own; fewer, or none, where the stories have no shortcut or one that is always right. */
function hardItems(spec: DataSpec & { seed: number }, count: number): Item[] {
  const orders = spec.orders.filter((order) => order > 0);
  const found: Item[] = [];
  try {
    for (let offset = HARD_OFFSET; found.length < count && orders.length > 0; offset += count) {
      const drawn = generateDataset({ ...spec, orders, dropShortcutRight: 1, count, offset }).filter(isHard);
      if (drawn.length === 0) break;
      found.push(...drawn);
    }
  } catch (thrown) {
    if (!(thrown instanceof MarbleError) || thrown.code !== 'tom/shortcut-always-right') throw thrown;
  }
  return found.slice(0, Math.max(0, count));
}

function isOfKind({ data }: RunConfig, datasets: readonly string[]): (item: Item) => boolean {
  return (item) =>
    datasets.includes(item.dataset) &&
    data.orders.includes(item.order) &&
    (!isApart(item) || (item.kind === 're-entry' && data.reentry));
}

/** Places in a fixed set of `size` items, shuffled anew each epoch: those from `offset` on, counted over all epochs. */
function inEpochs(seed: number, size: number, offset: number, count: number): number[] {
  const places = Array.from({ length: size }, (_, place) => place);
  const first = Math.floor(offset / size);
  const last = Math.floor((offset + count - 1) / size);
  const epochs = Array.from({ length: last - first + 1 }, (_, index) =>
    createRandom(seed, EPOCH_STREAM, first + index).shuffle(places),
  ).flat();
  return epochs.slice(offset - first * size, offset - first * size + count);
}

/** An imported data set by what its items are for. */
interface ImportedSplit {
  train: Item[];
  validation: Item[];
  test: Item[];
  /** Hard ones beside those of the test. */
  hard: Item[];
}

function splitForTraining(config: RunConfig, imported: readonly Item[]): ImportedSplit {
  requireTrainable(imported);
  const { seed } = config.evaluation;
  const counts = questionCounts(config);
  const wanted = (item: Item): boolean => config.data.orders.includes(item.order);
  const { train, test } = splitByStory(imported, counts.ends, wanted, seed);
  const { train: unasked, test: apart } = splitByStory(train, counts.validation, wanted, seed);
  const validation = apart.filter(wanted).slice(0, counts.validation);
  const asked = test.filter(wanted);
  const wantedHard = (items: readonly Item[]): Item[] => items.filter(wanted).map(withWorld).filter(isHard);
  const lacking = Math.max(0, counts.hard - wantedHard(asked.slice(0, counts.ends)).length);
  const spare = wantedHard(asked.slice(counts.ends));
  // Who asks for them by name has their stories taken from training; a run from before there were any trains as it did.
  const isTaken = config.evaluation.hardItems !== undefined && spare.length < lacking;
  const isWanted = (item: Item): boolean => wantedHard([item]).length > 0;
  const looked = isTaken ? splitByStory(unasked, lacking - spare.length, isWanted, seed).test : [];
  const taken = wantedHard(looked);
  const gone = new Set(taken.map(storyOf));
  const rest = unasked.filter((item) => !gone.has(storyOf(item)));
  const hard = [...spare, ...taken].slice(0, lacking);
  const drop = createRandom(config.seed, DROP_STREAM);
  const { dropShortcutRight, trainItems = 0 } = config.data;
  const kept = rest
    .filter(wanted)
    .map((item) => ({ item, draw: drop.uniform() }))
    .filter(({ item, draw }) => draw >= dropShortcutRight || isShortcutRight(withWorld(item)) !== true)
    .map(({ item }) => item);
  const judged = asked.length;
  if (kept.length === 0 || judged === 0 || (counts.validation > 0 && validation.length === 0)) {
    throw new MarbleError(
      'rl/no-items',
      `Of ${imported.length} imported items ${kept.length} can be trained on, ${validation.length} validated by and ${judged} evaluated.`,
      'Import at least two stories with questions of the chosen orders, four where the run has validation items.',
    );
  }
  const fixed = createRandom(config.seed, FIXED_SET_STREAM);
  const isFixed = trainItems > 0 && trainItems < kept.length;
  return { train: isFixed ? fixed.sample(kept, trainItems) : kept, validation, test, hard };
}

function importedItems(
  config: RunConfig,
  { train, validation, test, hard }: ImportedSplit,
  tasks: Item[],
): ItemSource {
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
    validation: validation.map(withWorld),
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
