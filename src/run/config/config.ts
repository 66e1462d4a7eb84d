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
import { model, training } from './model-config';
import { warmStartDefaults } from './warm-start';

const orders = 'one to five different orders, each a whole number from 0 to 4';

const worldNames: Record<WorldName, string> = {
  swap: 'Swap stories',
  hitom: 'Hi-ToM',
  'hitom-short': 'Hi-ToM, short',
  'hitom-long': 'Hi-ToM, short in long',
  tomi: 'ToMi',
  exploretom: 'ExploreToM',
  'exploretom-infilled': 'ExploreToM, infilled',
  'hitom-exploretom': 'Hi-ToM and ExploreToM',
  sally: 'Sally and Anne',
  rooms: 'Rooms',
  'exploretom-knowledge': 'ExploreToM, knowledge',
  'who-knows': 'Who knows',
  'hitom-who-knows': 'Hi-ToM and Who knows',
  'exploretom-who-knows': 'ExploreToM and Who knows',
  'hitom-exploretom-who-knows': 'Hi-ToM, ExploreToM, Who knows',
  'hitom-short-factual': 'Hi-ToM, short, 30 % factual',
};

function roomsDial(name: 'people' | 'containers' | 'moves', label: string, explain: string) {
  const [least, most] = roomsRanges[name];
  return integer(least, most, { label, explain, empty: `${roomsDefaults[name]}`, sources: ['rooms'] });
}

/** Training data: the items (`DataSpec` documents the fields) and the number of distinct ones. */
const data = v.strictObject({
  source: v.pipe(
    text(/^(imported:)?[\w.-]{1,64}$/, 'the name of a generator, or imported: with the id of a data set'),
    told<string>({
      label: 'Stories',
      explain:
        'The ladder’s models read swap stories, hitom-mini short Hi-ToM; all others want a larger model.',
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
    told<number[]>({
      label: 'Orders of belief',
      explain: '0: where is it; 1: where does A think it is; and so on, with commas.',
    }),
  ),
  dropShortcutRight: real(0, 1, {
    label: 'Leave out questions the shortcut solves',
    explain: 'Chance that a question which the shortcut answers rightly is left out: 0 keeps all, 1 none.',
  }),
  reentry: yesOrNo({
    label: 'Guests who come back',
    explain: 'Half of the stories that may have a return then have one.',
    sources: ['swap'],
  }),
  rho: v.optional(
    real(0, 1, {
      label: 'Share of stories the shortcut solves',
      explain: 'Fraction of the stories made so that the shortcut answers rightly.',
      empty: { swap: '0.2', rooms: `${roomsDefaults.rho}` },
      sources: ['swap', 'rooms'],
    }),
  ),
  events: v.optional(
    integer(3, 12, { label: 'Events in a story', explain: 'Each is a swap.', empty: '6', sources: ['swap'] }),
  ),
  people: v.optional(roomsDial('people', 'People in a story', 'One or two of them leave.')),
  containers: v.optional(roomsDial('containers', 'Containers in a story', 'The thing can be moved to each.')),
  moves: v.optional(roomsDial('moves', 'Moves in a story', 'Each is to another container.')),
  /**
   * Size of a fixed training set, reshuffled each epoch. Absent or 0: an endless stream of generated items, or every item
   * of an imported data set.
   */
  trainItems: v.optional(
    integer(0, 1_000_000, {
      label: 'Training questions',
      explain: 'A fixed set, shuffled anew each time it is gone through. Empty: new ones without end.',
    }),
  ),
}) satisfies v.GenericSchema<unknown, DataSpec>;

const reward = v.strictObject({
  preset: oneNamed({
    label: 'Reward',
    explain: '“Faithful” pays for correct reasoning; the others pay for the format and the answer only.',
    names: {
      'tom-rl': 'ToM-RL: format and answer',
      'rlvr-tom': 'RLVR-ToM: mostly the answer',
      'logic-rl': 'Logic-RL: format and answer',
      faithful: 'Faithful: correct reasoning',
      'answer-only': 'Answer only',
    } satisfies Record<RewardPreset, string>,
  }),
  /** Name of a custom reward function, without its code. Only the library and the command can run it. */
  custom: v.optional(text(/^[\w.-]{1,80}$/, 'a name of letters, digits, dots and dashes, at most 80')),
  minimumThinkWords: v.optional(
    integer(0, 8192, {
      label: 'Minimum reasoning length',
      explain: 'Shorter reasoning loses up to 1. Empty: no such term.',
      unit: 'words',
    }),
  ),
  targetThinkWords: v.optional(
    integer(0, 8192, {
      label: 'Target reasoning length',
      explain: 'Reasoning loses up to 1, the further from it. Empty: no such term.',
      unit: 'words',
    }),
  ),
} satisfies Record<keyof RewardConfig, v.GenericSchema>) satisfies v.GenericSchema<unknown, RewardConfig>;

const rollout = v.strictObject({
  promptsPerStep: integer(1, 256, { label: 'Prompts per step', explain: 'Different questions in one step.' }),
  samplesPerPrompt: integer(1, 256, { label: 'Samples per prompt', explain: 'Answers to each question.' }),
  temperature: real(0.01, 10, {
    label: 'Temperature',
    explain: 'How freely it samples; 1 is as the model has it.',
  }),
  maxNewTokens: integer(1, 8192, {
    label: 'Longest completion',
    explain: 'Longer ones are cut off and earn the least.',
    unit: 'tokens',
  }),
  systemPrompt: v.optional(
    oneNamed({
      label: 'System prompt',
      explain:
        'For models with a chat template. By the task it is the instruction; of rooms stories it is the template’s own.',
      names: { task: 'By the task', template: 'The template’s own', none: 'Empty' },
      empty: 'task',
    }),
  ),
  systemText: v.optional(
    words({ label: 'Own system prompt', explain: 'Goes before the choice above. Empty: as chosen there.' }),
  ),
  instruction: v.optional(
    words({
      label: 'Instruction',
      explain: 'The story and the question follow it in every prompt. Empty: the task’s own.',
    }),
  ),
} satisfies Record<keyof PromptSettings, v.GenericSchema> & Record<string, v.GenericSchema>);

const importedSets = 'at most eight different ids of imported data sets';

/** Fixed evaluation set, answered greedily at step 0, every `every` steps and at the end. */
const evaluation = v.strictObject({
  every: integer(1, 100_000, { label: 'Steps between tests', explain: 'And at step 0 and the end.' }),
  items: integer(1, 10_000, {
    label: 'Questions of a test',
    explain: 'At the looks in between; a quarter as many again of each held-out set.',
  }),
  /**
   * Items of the evaluations that the verdict compares: at step 0, at the end of a warm start and at the last step. They
   * include the first `items`. Default: `items`.
   */
  finalItems: v.optional(
    integer(1, 10_000, {
      label: 'Questions of the verdict',
      explain:
        'Asked at step 0, at the end and where a warm start ends; empty: as many as at the looks in between, which may be too few.',
    }),
  ),
  /**
   * Minimum number of hard belief questions in a test. If the fixed set has fewer, additional ones are drawn. Default: 60.
   * For an imported set they come from stories outside the training split. An explicit value may also take stories from
   * the training split.
   */
  hardItems: v.optional(
    integer(0, 10_000, {
      label: 'Hard questions of a test, at least',
      explain:
        'Those on which the shortcut is wrong, by which the verdict goes: drawn besides where the test has fewer. Empty: 60.',
    }),
  ),
  seed: integer(0, 2 ** 32 - 1, { label: 'Seed of the tests', explain: 'Fixes the questions of all tests.' }),
  patience: integer(0, 100_000, {
    label: 'Early stopping',
    explain: 'Ends the run after so many tests in a row without a new best. 0: never.',
  }),
  /**
   * Size of a separate validation set for `patience` and the best checkpoint. It keeps the reported set out of model
   * selection. Absent or 0: both use the evaluation set.
   */
  validationItems: v.optional(
    integer(0, 10_000, {
      label: 'Validation questions',
      explain: 'The best checkpoint and early stopping go by these alone. Empty: by those that are reported.',
    }),
  ),
  /** Items of each held-out task (Hi-ToM, ToMi, ExploreToM), for models that read English. Default: none. */
  taskItems: v.optional(
    integer(0, 1000, {
      label: 'Questions of each other task',
      explain: 'Evaluates on Hi-ToM, ToMi and ExploreToM besides. For models that read English; empty: none.',
    }),
  ),
  /** Ids of additional imported data sets to evaluate on. */
  imported: v.optional(
    v.pipe(
      v.array(text(/^[\w.-]{1,64}$/, importedSets), importedSets),
      v.maxLength(8, importedSets),
      v.check((list) => new Set(list).size === list.length, importedSets),
      told<string[]>({ label: 'Imported tasks', explain: 'Chosen under Data; by their ids, with commas.' }),
    ),
  ),
  /**
   * Maximum items of each imported data set, sampled if it has more (a file has at most 50,000). Default: `items`.
   */
  importedItems: v.optional(
    integer(1, 50_000, {
      label: 'Questions of each imported task',
      explain:
        'Drawn where it has more; empty: as many as of the run’s own. 6,000 takes ToM-RL’s test file whole.',
    }),
  ),
});

/** Supervised steps on gold completions before the RL steps. `warm-start.ts` has the defaults. */
const warmStart = v.strictObject({
  updates: v.optional(
    integer(0, 100_000, {
      label: 'Warm start',
      explain: 'The first so many of the run’s steps learn from gold traces. Empty: none.',
      unit: 'steps',
    }),
  ),
  examples: v.optional(
    integer(1, 256, {
      label: 'Gold traces per step',
      explain: 'Of the warm start.',
      empty: `${warmStartDefaults.examples}`,
    }),
  ),
  full: v.optional(
    real(0, 1, {
      label: 'Full traces',
      explain: 'Share of the gold traces that tell every event.',
      empty: `${warmStartDefaults.full}`,
    }),
  ),
  short: v.optional(
    real(0, 1, {
      label: 'Short traces',
      explain: 'Share that tells the conclusion alone. The rest are answers without reasoning.',
      empty: `${warmStartDefaults.short}`,
    }),
  ),
  learningRate: v.optional(
    real(0, 1, {
      label: 'Learning rate of the warm start',
      explain: 'Falls as the run’s own does.',
      empty: `${warmStartDefaults.learningRate}`,
    }),
  ),
  warmupUpdates: v.optional(
    integer(0, 100_000, {
      label: 'Warm-up of the warm start',
      explain: 'The rate rises over these.',
      unit: 'steps',
      empty: `${warmStartDefaults.warmupUpdates}`,
    }),
  ),
});

export const runConfigSchema = v.strictObject({
  /** Preset that this configuration is derived from. */
  preset: text(/^[\w.-]{1,64}$/, 'the name of a preset: letters, digits, dots and dashes, at most 64'),
  /** Unsigned 32-bit integer that determines data order, prompts and all sampling. */
  seed: integer(0, 2 ** 32 - 1, {
    label: 'Seed',
    explain: 'Fixes the questions and every draw. Another seed is another run.',
  }),
  /** `rl`, or a supervised control arm on gold completions (answers only, or full traces). */
  method: oneNamed({
    label: 'Way of learning',
    explain: 'From rewards, or by supervised fine-tuning on right answers or correct reasoning.',
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
  steps: integer(1, MOST_STEPS, {
    label: 'Steps',
    explain: 'One step samples answers, scores them and changes the model once.',
  }),
  evaluation,
  checkpointEvery: integer(1, 100_000, {
    label: 'Steps between checkpoints',
    explain: 'From the last one a run goes on.',
  }),
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
