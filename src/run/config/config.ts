/**
 * Schema of the run configuration, the plain data that fully determines a run. Links, the form, the trainer and the run
 * record all use this record. Its type is inferred from the schema.
 *
 * The ranges admit any plausible experiment and keep a hostile link from requesting more memory or time than a page has.
 * `check-config.ts` rejects incompatible combinations of fields.
 *
 * Training code imports only the types, which keeps the schema out of the worker bundle.
 */
import * as v from 'valibot';
import { integer, MOST_STEPS, oneNamed, real, text, told, words, yesOrNo } from './field-schemas';
import { algorithm, optimizer } from './algorithm-config';
import type { RewardConfig, RewardPreset } from '../../reward/types';
import type { DataSpec, PromptSettings } from '../../tom/item';
import { roomsDefaults, roomsRanges, type WorldName } from '../../tom/worlds/orders';
import { swapDefaults, swapEventRange } from '../../tom/worlds/swap';
import { model, training } from './model-config';
import { warmStartDefaults } from './warm-start';

const orders = 'one to five different orders, each a whole number from 0 to 4';

const worldNames: Record<WorldName, string> = {
  swap: 'Swap stories',
  hitom: 'Hi-ToM',
  'hitom-short': 'Hi-ToM, short',
  tomi: 'ToMi',
  exploretom: 'ExploreToM',
  'exploretom-infilled': 'ExploreToM, infilled',
  'hitom-exploretom': 'Hi-ToM, ExploreToM',
  rooms: 'Rooms',
  'who-knows': 'Who knows',
  'hitom-who-knows': 'Hi-ToM, Who knows',
  'exploretom-who-knows': 'ExploreToM, Who knows',
  'hitom-exploretom-who-knows': 'Mix of these three',
  'hitom-short-factual': 'Hi-ToM, short, factual',
};

function roomsDial(name: 'people' | 'containers' | 'moves', label: string) {
  const [least, most] = roomsRanges[name];
  return integer(least, most, { label, empty: `${roomsDefaults[name]}`, sources: ['rooms'] });
}

/** Training data: the items (`DataSpec` documents the fields) and the number of distinct ones. */
const data = v.strictObject({
  source: v.pipe(
    text(/^(imported:)?[\w.-]{1,64}$/, 'the name of a generator, or imported: with the id of a data set'),
    told<string>({
      label: 'Stories',
      names: worldNames,
    }),
  ),
  orders: v.pipe(
    v.array(
      v.pipe(v.number(orders), v.integer(orders), v.minValue(0, orders), v.maxValue(4, orders)),
      orders,
    ),
    v.minLength(1, orders),
    v.check((list) => new Set(list).size === list.length, orders),
    told<number[]>({ label: 'Orders of belief' }),
  ),
  dropShortcutRight: real(0, 1, { label: 'Leave out questions the shortcut solves' }),
  reentry: yesOrNo({ label: 'Guests who come back', sources: ['swap'] }),
  rho: v.optional(
    real(0, 1, {
      label: 'Share of stories the shortcut solves',
      empty: { swap: `${swapDefaults.rho}`, rooms: `${roomsDefaults.rho}` },
      sources: ['swap', 'rooms'],
    }),
  ),
  events: v.optional(
    integer(swapEventRange.least, swapEventRange.most, {
      ...{ label: 'Events in a story', empty: `${swapDefaults.events}`, sources: ['swap'] },
    }),
  ),
  people: v.optional(roomsDial('people', 'People in a story')),
  containers: v.optional(roomsDial('containers', 'Containers in a story')),
  moves: v.optional(roomsDial('moves', 'Moves in a story')),
  /**
   * Size of a fixed training set, reshuffled each epoch. Absent or 0: an endless stream of generated items, or every item
   * of an imported data set.
   */
  trainItems: v.optional(integer(0, 1_000_000, { label: 'Training questions' })),
}) satisfies v.GenericSchema<unknown, DataSpec>;

const reward = v.strictObject({
  preset: oneNamed({
    label: 'Paid for',
    names: {
      'tom-rl': 'Right answers (ToM-RL)',
      'rlvr-tom': 'Right answers (RLVR-ToM)',
      'logic-rl': 'Right answers (Logic-RL)',
      faithful: 'Correct reasoning',
      'answer-only': 'Right answers alone',
    } satisfies Record<RewardPreset, string>,
  }),
  /** Name of a custom reward function, without its code. Only the library and the command can run it. */
  custom: v.optional(text(/^[\w.-]{1,80}$/, 'a name of letters, digits, dots and dashes, at most 80')),
  minimumThinkWords: v.optional(integer(0, 8192, { label: 'Minimum reasoning length', unit: 'words' })),
  targetThinkWords: v.optional(integer(0, 8192, { label: 'Target reasoning length', unit: 'words' })),
} satisfies Record<keyof RewardConfig, v.GenericSchema>) satisfies v.GenericSchema<unknown, RewardConfig>;

const rollout = v.strictObject({
  promptsPerStep: integer(1, 256, { label: 'Prompts per step' }),
  samplesPerPrompt: integer(1, 256, { label: 'Samples per prompt' }),
  temperature: real(0.01, 10, { label: 'Temperature' }),
  maxNewTokens: integer(1, 8192, { label: 'Longest completion', unit: 'tokens' }),
  systemPrompt: v.optional(
    oneNamed({
      label: 'System prompt',
      names: { task: 'By the task', template: 'The template’s own', none: 'Empty' },
      empty: 'task',
    }),
  ),
  systemText: v.optional(words({ label: 'Own system prompt' })),
  instruction: v.optional(words({ label: 'Instruction' })),
} satisfies Record<keyof PromptSettings, v.GenericSchema> & Record<string, v.GenericSchema>);

const importedSets = 'at most eight different ids of imported data sets';

/** Fixed evaluation set, answered greedily at step 0, every `every` steps and at the end. */
const evaluation = v.strictObject({
  every: integer(1, 100_000, { label: 'Steps between tests' }),
  items: integer(1, 10_000, { label: 'Questions of a test' }),
  /**
   * Items of the evaluations that the verdict compares: at step 0, at the end of a warm start and at the last step. They
   * include the first `items`. Default: `items`.
   */
  finalItems: v.optional(integer(1, 10_000, { label: 'Questions of the verdict' })),
  /**
   * Minimum number of hard belief questions in a test. If the fixed set has fewer, additional ones are drawn. Default: 60.
   * For an imported set they come from stories outside the training split. An explicit value may also take stories from
   * the training split.
   */
  hardItems: v.optional(integer(0, 10_000, { label: 'Hard questions of a test, at least' })),
  seed: integer(0, 2 ** 32 - 1, { label: 'Seed of the tests' }),
  /** Items of each held-out task (Hi-ToM, ToMi, ExploreToM), for models that read English. Default: none. */
  taskItems: v.optional(integer(0, 1000, { label: 'Questions of each other task' })),
  /** Ids of additional imported data sets to evaluate on. */
  imported: v.optional(
    v.pipe(
      v.array(text(/^[\w.-]{1,64}$/, importedSets), importedSets),
      v.maxLength(8, importedSets),
      v.check((list) => new Set(list).size === list.length, importedSets),
      told<string[]>({ label: 'Imported tasks' }),
    ),
  ),
  /**
   * Maximum items of each imported data set, sampled if it has more (a file has at most 50,000). Default: `items`.
   */
  importedItems: v.optional(integer(1, 50_000, { label: 'Questions of each imported task' })),
});

/** Supervised steps on gold completions before the RL steps. `warm-start.ts` has the defaults. */
const warmStart = v.strictObject({
  updates: v.optional(integer(0, 100_000, { label: 'Warm start', unit: 'steps' })),
  examples: v.optional(
    integer(1, 256, { label: 'Gold traces per step', empty: `${warmStartDefaults.examples}` }),
  ),
  full: v.optional(real(0, 1, { label: 'Full traces', empty: `${warmStartDefaults.full}` })),
  short: v.optional(real(0, 1, { label: 'Short traces', empty: `${warmStartDefaults.short}` })),
  learningRate: v.optional(
    real(0, 1, { label: 'Learning rate of the warm start', empty: `${warmStartDefaults.learningRate}` }),
  ),
  warmupUpdates: v.optional(
    integer(0, 100_000, {
      label: 'Warm-up of the warm start',
      unit: 'steps',
      empty: `${warmStartDefaults.warmupUpdates}`,
    }),
  ),
});

export const runConfigSchema = v.strictObject({
  /** Preset that this configuration is derived from. */
  preset: text(/^[\w.-]{1,64}$/, 'the name of a preset: letters, digits, dots and dashes, at most 64'),
  /** Unsigned 32-bit integer that determines data order, prompts and all sampling. */
  seed: integer(0, 2 ** 32 - 1, { label: 'Seed' }),
  /** `rl`, or a supervised control arm on gold completions (answers only, or full traces). */
  method: oneNamed({
    label: 'Way of learning',
    names: {
      rl: 'Rewards',
      'sft-answers': 'Fine-tuning on answers',
      'sft-traces': 'Fine-tuning on reasoning',
    },
  }),
  model,
  training,
  data,
  reward,
  warmStart: v.optional(warmStart),
  algorithm,
  rollout,
  optimizer,
  steps: integer(1, MOST_STEPS, { label: 'Steps' }),
  evaluation,
  checkpointEvery: integer(1, 100_000, { label: 'Steps between checkpoints' }),
});

export type RunConfig = v.InferOutput<typeof runConfigSchema>;

/** Number of completions per step. */
export function completionsOf({ rollout }: RunConfig): number {
  return rollout.promptsPerStep * rollout.samplesPerPrompt;
}

/** Compares the models only. Training settings may differ. */
export function sameModel(one: RunConfig, other: RunConfig): boolean {
  return JSON.stringify(one.model) === JSON.stringify(other.model);
}
