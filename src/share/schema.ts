/**
 * The run configuration as text from outside may state it: a whitelist with a range for every number. The link, an
 * imported run and a form all pass through here, so that nothing unchecked ever reaches the trainer. `RunConfig` in
 * `src/run/config.ts` says what each field means; a field added there does not compile here until it has a range.
 *
 * The ranges are wide enough for any experiment that could end well, and narrow enough that a hostile link cannot ask
 * for more memory or time than a page has.
 */
import * as v from 'valibot';
import { MarbleError } from '../error';
import { choosesTokens, resolveAlgorithm } from '../run/algorithm';
import { embeddedModels, type RunConfig } from '../run/config';

const tooLong = 80;

/** A number of the closed interval; the message is the end of "must be ...". */
function real(low: number, high: number) {
  const range = `a number from ${low} to ${high}`;
  return v.pipe(v.number(range), v.minValue(low, range), v.maxValue(high, range));
}

function integer(low: number, high: number) {
  const range = `a whole number from ${low} to ${high}`;
  return v.pipe(v.number(range), v.integer(range), v.minValue(low, range), v.maxValue(high, range));
}

function oneOf<const Names extends readonly string[]>(...names: Names) {
  return v.picklist(names, `one of ${names.join(', ')}`);
}

function text(pattern: RegExp, description: string) {
  return v.pipe(v.string(description), v.regex(pattern, description));
}

const flag = v.boolean('true or false');
const unsigned32 = integer(0, 2 ** 32 - 1);

const model = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('embedded'), name: oneOf(...embeddedModels) }),
    v.strictObject({
      kind: v.literal('hub'),
      repository: text(
        /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/,
        'a repository of the form owner/name',
      ),
      revision: text(/^[0-9a-f]{40}$/, 'a commit of 40 hexadecimal digits'),
    }),
    v.strictObject({
      kind: v.literal('url'),
      url: text(
        /^https?:\/\/(?=[\x21-\x7e]{1,504}$)[^/?#@]+(\/[^?#]*)?$/,
        'an http(s) address without query or credentials, at most 512 characters',
      ),
    }),
    v.strictObject({
      kind: v.literal('files'),
      name: text(/^[\w.-]{1,96}$/, 'a name of letters, digits, dots and dashes, at most 96'),
    }),
  ],
  'one of embedded, hub, url, files',
);

const training = v.variant(
  'mode',
  [
    v.strictObject({ mode: v.literal('full') }),
    v.strictObject({
      mode: v.literal('lora'),
      rank: integer(1, 256),
      alpha: real(0.01, 1024),
      adapter: v.optional(
        text(
          /^(hub:[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}@[0-9a-f]{40}|https?:\/\/(?=[\x21-\x7e]{1,504}$)[^/?#@]+(\/[^?#]*)?|files:[\w.-]{1,96})$/,
          'hub:owner/name@commit, an http(s) address, or files: and a name',
        ),
      ),
    }),
  ],
  'one of full, lora',
);

const orders = 'one to five different orders, each a whole number from 0 to 4';

const importedSets = 'at most eight different ids of imported data sets';

const tokensChosen = 'token where tokens are chosen (topEntropyFraction, clip-cov, kl-cov)';

export const runConfigSchema = v.strictObject({
  preset: text(/^[\w.-]{1,64}$/, 'the name of a preset: letters, digits, dots and dashes, at most 64'),
  seed: unsigned32,
  method: oneOf('rl', 'sft-answers', 'sft-traces'),
  model,
  training,
  data: v.strictObject({
    source: text(
      /^(imported:)?[\w.-]{1,64}$/,
      'the name of a generator, or imported: with the id of a data set',
    ),
    orders: v.pipe(
      v.array(
        v.pipe(v.number(orders), v.integer(orders), v.minValue(0, orders), v.maxValue(4, orders)),
        orders,
      ),
      v.minLength(1, orders),
      v.check((list) => new Set(list).size === list.length, orders),
    ),
    dropShortcutRight: real(0, 1),
    reentry: flag,
    rho: v.optional(real(0, 1)),
    events: v.optional(integer(3, 12)),
    trainItems: v.optional(integer(0, 1_000_000)),
  }),
  reward: v.strictObject({
    preset: oneOf('tom-rl', 'rlvr-tom', 'logic-rl', 'faithful', 'answer-only'),
    minimumThinkWords: v.optional(integer(0, 8192)),
    targetThinkWords: v.optional(integer(0, 8192)),
  }),
  algorithm: v.pipe(
    v.strictObject({
      name: oneOf('reinforce++', 'reinforce++-baseline', 'grpo', 'dr-grpo', 'dapo', 'rloo'),
      gamma: real(0, 1),
      kl: v.strictObject({
        place: oneOf('reward', 'loss', 'none'),
        coefficient: real(0, 10),
        estimator: oneOf('k1', 'k2', 'k3'),
        target: real(0, 100),
        horizon: integer(1, 10_000_000),
        credit: v.optional(oneOf('token', 'response')),
        resetEvery: v.optional(integer(0, 100_000)),
        resetMix: v.optional(real(0, 1)),
        resetOptimizer: v.optional(flag),
      }),
      clipLow: real(0, 1),
      clipHigh: real(0, 10),
      // Below 1 it would cut where the ratio has not moved.
      dualClip: v.pipe(
        real(0, 100),
        v.check(
          (value) => value === 0 || value >= 1,
          '0 for the convention’s own, or a number from 1 to 100',
        ),
      ),
      entropyCoefficient: real(0, 1),
      entropyTarget: v.optional(real(0, 20)),
      entropyStep: v.optional(real(0, 1)),
      convention: oneOf('openrlhf', 'verl'),
      aggregation: oneOf('token-mean', 'sequence-mean', 'sequence-sum', 'constant-length'),
      scale: v.optional(oneOf('all-tokens', 'group', 'batch', 'none')),
      ratio: oneOf('token', 'sequence', 'sequence-mean'),
      surrogate: v.optional(oneOf('clip', 'cispo', 'sapo', 'clip-cov', 'kl-cov')),
      sapoPositive: v.optional(real(0.01, 100)),
      sapoNegative: v.optional(real(0.01, 100)),
      covarianceFraction: v.optional(real(0, 1)),
      covarianceLow: v.optional(real(-1000, 1000)),
      covarianceHigh: v.optional(real(-1000, 1000)),
      covarianceKl: v.optional(real(0, 100)),
      topEntropyFraction: v.optional(real(0, 1)),
      overlongBuffer: integer(0, 8192),
      lengthPenalty: real(0, 10),
      lengthPenaltyOn: v.optional(oneOf('all', 'right')),
      truncationPenalty: v.optional(real(0, 10)),
      maskTruncated: flag,
      resampleRounds: integer(0, 100),
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || dataset.value.ratio === 'token') return;
      if (!choosesTokens(resolveAlgorithm(dataset.value))) return;
      const { value: input } = dataset;
      addIssue({
        message: tokensChosen,
        input: input.ratio,
        path: [{ type: 'object', origin: 'value', input, key: 'ratio', value: input.ratio }],
      });
    }),
  ),
  rollout: v.strictObject({
    promptsPerStep: integer(1, 256),
    samplesPerPrompt: integer(1, 256),
    temperature: real(0.01, 10),
    maxNewTokens: integer(1, 8192),
  }),
  optimizer: v.strictObject({
    learningRate: real(0, 1),
    finalFraction: real(0, 1),
    decay: oneOf('linear', 'cosine'),
    warmupSteps: integer(0, 100_000),
    beta1: real(0, 0.99999),
    beta2: real(0, 0.99999),
    epsilon: real(1e-12, 1),
    weightDecay: real(0, 1),
    maxGradNorm: real(1e-6, 1e6),
    passes: integer(1, 100),
    miniBatches: integer(1, 256),
    microBatch: integer(0, 65_536),
  }),
  steps: integer(1, 100_000),
  evaluation: v.strictObject({
    every: integer(1, 100_000),
    items: integer(1, 10_000),
    finalItems: v.optional(integer(1, 10_000)),
    seed: unsigned32,
    patience: integer(0, 100_000),
    validationItems: v.optional(integer(0, 10_000)),
    taskItems: v.optional(integer(0, 1000)),
    imported: v.optional(
      v.pipe(
        v.array(text(/^[\w.-]{1,64}$/, importedSets), importedSets),
        v.maxLength(8, importedSets),
        v.check((list) => new Set(list).size === list.length, importedSets),
      ),
    ),
    // As many as one file may have.
    importedItems: v.optional(integer(1, 50_000)),
  }),
  checkpointEvery: integer(1, 100_000),
}) satisfies v.GenericSchema<unknown, RunConfig>;

/** How a field is written as text: which also says how to read it. */
export type FieldKind = 'number' | 'numbers' | 'texts' | 'boolean' | 'text';

/** The part of a valibot schema that a walk over the fields needs. */
interface SchemaNode {
  type: string;
  entries?: Record<string, SchemaNode>;
  options?: readonly SchemaNode[];
  /** Of a list, and of a field that may be left out. */
  item?: SchemaNode;
  wrapped?: SchemaNode;
}

function collectFields(node: SchemaNode, path: string, into: Map<string, FieldKind>): Map<string, FieldKind> {
  if (node.type === 'strict_object') {
    for (const [name, child] of Object.entries(node.entries ?? {})) {
      collectFields(child, path === '' ? name : `${path}.${name}`, into);
    }
  } else if (node.type === 'variant') {
    for (const option of node.options ?? []) collectFields(option, path, into);
  } else if (node.wrapped !== undefined) {
    collectFields(node.wrapped, path, into);
  } else {
    const list: FieldKind = node.item?.type === 'string' ? 'texts' : 'numbers';
    const kinds: Record<string, FieldKind> = { number: 'number', array: list, boolean: 'boolean' };
    into.set(path, kinds[node.type] ?? 'text');
  }
  return into;
}

/** Every field of a run configuration by its dotted path: the whitelist of what a link may set. */
export const configFields: ReadonlyMap<string, FieldKind> = collectFields(
  runConfigSchema as unknown as SchemaNode,
  '',
  new Map(),
);

/** A value from outside as it stands in an error: never longer than a line. */
export function shown(value: unknown): string {
  if (value === '') return 'empty';
  const written =
    typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value as string | number}`;
  return written.length > tooLong ? `${written.slice(0, tooLong)}…` : written;
}

/** What is wrong in one sentence: the field, its value and what it may be. */
export function complaint(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? 'the whole';
  if (issue.input === undefined) return `${path} is missing.`;
  if (issue.expected === 'never') return `${path} is not a setting that this version knows.`;
  return `${path} is ${shown(issue.input)}; it must be ${issue.message}.`;
}

/**
 * Checks a run configuration that came from outside.
 *
 * @returns a fresh record of known fields only
 * @throws MarbleError `share/out-of-range`, naming the field, its value and what it may be
 */
export function checkRunConfig(value: unknown): RunConfig {
  const result = v.safeParse(runConfigSchema, value, { abortEarly: true });
  if (!result.success) throw outOfRange(complaint(result.issues[0]));
  const { training, algorithm } = result.output;
  const { resetEvery = 0, resetMix = 1 } = algorithm.kl;
  if (training.mode === 'lora' && resetEvery > 0 && resetMix < 1) {
    throw outOfRange(`algorithm.kl.resetMix is ${resetMix}; it must be 1 with LoRA.`);
  }
  return result.output;
}

function outOfRange(message: string): MarbleError {
  return new MarbleError(
    'share/out-of-range',
    message,
    'Correct this value in the link or the file, or start from a preset.',
  );
}
