/**
 * The shape of what a run file may hold. A file comes from anybody: every field is checked, texts and lists are
 * capped, and what is not named here is left behind. Metrics may be any number, NaN included: a run that went wrong is
 * worth looking at.
 */
import * as v from 'valibot';
import type { Alert, Forecast, Rollout, StepRecord } from '../run/events';
import type { OutcomeTable } from '../run/outcome-table';
import { endings } from '../run/ending';
import type { Verdict } from '../run/verdict';
import type { TrainerState } from '../rl/trainer-state';
import type { SuiteRow } from '../reward/suites';
import type { Evaluation, RunRecord } from '../run/history';
import { completedConfig } from './older-config';
import { runConfigSchema } from '../run/check-config';

const metric = v.custom<number>((value) => typeof value === 'number', 'a number');
const flag = v.boolean('true or false');
// A story of a data set has 64 kB at most; 8192 tokens can be longer than that.
const text = v.pipe(v.string('text'), v.maxLength(1_048_576, 'text of at most 1048576 characters'));
const count = v.pipe(
  v.number('a whole number'),
  v.safeInteger('a whole number'),
  v.minValue(0, 'not negative'),
);

function listOf<const Schema extends v.GenericSchema>(schema: Schema, most = 1_000_000) {
  return v.pipe(v.array(schema, 'a list'), v.maxLength(most, `a list of at most ${most}`));
}

export const stepSchema = v.objectWithRest({ step: count }, metric) satisfies v.GenericSchema<
  unknown,
  StepRecord
>;

const reward = v.object({
  total: metric,
  parts: listOf(v.object({ name: text, value: metric, reason: text }), 100),
  correct: flag,
  formatHolds: flag,
  answer: v.nullable(text),
  think: text,
  trace: v.nullable(
    v.object({
      statements: listOf(v.object({ text, verdict: v.picklist(['true', 'false', 'unread']) }), 10_000),
      validity: metric,
      coverage: metric,
    }),
  ),
});

export const rolloutSchema = v.object({
  step: count,
  group: count,
  sample: count,
  itemId: text,
  prompt: text,
  completion: text,
  order: count,
  goldAnswer: text,
  shortcutAnswer: v.nullable(text),
  tokens: count,
  finished: flag,
  reward,
  advantage: metric,
  byToken: v.optional(
    v.object({
      texts: listOf(text, 65_536),
      advantages: listOf(metric, 65_536),
      before: listOf(metric, 65_536),
      after: listOf(metric, 65_536),
    }),
  ),
}) satisfies v.GenericSchema<unknown, Rollout>;

const accuracy = v.object({ count, accuracy: metric, low: metric, high: metric });

const suiteRow = v.object({
  task: text,
  part: text,
  inDistribution: flag,
  accuracy,
  macroF1: v.nullable(v.object({ macroF1: metric, corruption: metric })),
  shortcutLine: v.nullable(metric),
  shortcutConflict: v.nullable(accuracy),
}) satisfies v.GenericSchema<unknown, SuiteRow>;

const itemsAtMost = 20_000;
const perItem = v.pipe(
  v.string('text'),
  v.maxLength(itemsAtMost, `text of at most ${itemsAtMost} characters`),
);

const outcomes = v.pipe(
  v.object({
    order: perItem,
    correct: perItem,
    shortcutRight: perItem,
    trace: perItem,
    thinkTokens: listOf(count, itemsAtMost),
  }),
  v.check(
    ({ thinkTokens, ...columns }) =>
      Object.values(columns).every(({ length }) => length === thinkTokens.length),
    'one value per item in every column',
  ),
) satisfies v.GenericSchema<unknown, OutcomeTable>;

const estimate = v.object({ value: metric, low: metric, high: metric });
const paired = { count, before: metric, now: metric, change: estimate };
const fraction = v.object({ faithful: metric, partial: metric, false: metric, empty: metric, cut: metric });

const verdictSchema = v.object({
  step: count,
  provisional: flag,
  ending: v.picklist(endings),
  missing: listOf(text, 10),
  conditions: v.object({
    reasonedAtStart: flag,
    shorter: flag,
    notLessAccurate: flag,
    lessFaithful: flag,
    wrongHalved: flag,
    moreAccurate: flag,
    stillFaithful: flag,
    wrongNotLower: flag,
  }),
  length: v.object({ before: metric, now: metric, ratio: estimate }),
  belief: v.object(paired),
  faithful: v.nullable(v.object({ ...paired, start: estimate, ratio: estimate })),
  fate: v.nullable(fraction),
  right: v.nullable(v.object(paired)),
  wrong: v.nullable(v.object({ ...paired, ratio: estimate })),
  factual: v.nullable(v.object(paired)),
  sampled: v.nullable(v.object(paired)),
}) satisfies v.GenericSchema<unknown, Verdict>;

const forecastSchema = v.object({
  count,
  empty: metric,
  full: metric,
  difference: estimate,
  probability: v.nullable(metric),
}) satisfies v.GenericSchema<unknown, Forecast>;

/** The forecast of older versions, by a rule that is no longer used: left behind. */
const olderForecast = v.pipe(
  v.object({ collapseExpected: flag }),
  v.transform((): undefined => undefined),
);

const reportSchema = v.object({
  step: count,
  overall: accuracy,
  validation: v.optional(accuracy),
  belief: v.optional(accuracy),
  factual: v.optional(accuracy),
  outcomes: v.optional(outcomes),
  sampled: v.optional(
    v.object({ temperature: metric, belief: accuracy, factual: accuracy, correct: perItem }),
  ),
  causalUse: v.optional(v.object({ cut: accuracy, changed: accuracy, followed: accuracy })),
  byOrder: v.record(text, accuracy),
  heldOut: v.record(text, accuracy),
  shortcutRight: accuracy,
  shortcutWrong: accuracy,
  shortcutLine: metric,
  formatRate: metric,
  meanLength: metric,
  meanThinkLength: metric,
  emptyThinkFraction: metric,
  traceValidity: metric,
  traceCoverage: metric,
  rightAnswerWrongTrace: metric,
  closeThinkProbability: metric,
  samples: listOf(rolloutSchema, 1000),
  rows: v.optional(listOf(suiteRow, 100_000)),
});

export const evaluationSchema = v.object({
  report: reportSchema,
  verdict: v.optional(verdictSchema),
  forecast: v.optional(v.union([forecastSchema, olderForecast])),
  collapse: v.optional(v.object({ collapsed: flag })),
}) satisfies v.GenericSchema<unknown, Evaluation>;

export const alertSchema = v.object({
  step: count,
  code: text,
  severity: v.picklist(['info', 'warning', 'error']),
  cause: text,
  nextStep: text,
}) satisfies v.GenericSchema<unknown, Alert>;

const configSchema = v.pipe(
  v.unknown(),
  v.transform((value) => completedConfig(value).config),
  runConfigSchema,
);

const runRecordSchema = v.object({
  id: text,
  config: configSchema,
  name: text,
  notes: text,
  status: v.picklist(['running', 'paused', 'stopped', 'done', 'failed']),
  failure: v.optional(text),
  step: count,
  checkpointStep: v.nullable(count),
  logLength: count,
  createdAt: count,
  updatedAt: count,
  machine: v.record(text, v.unknown()),
}) satisfies v.GenericSchema<unknown, RunRecord>;

/** The checkpoint without its arrays, which stand at the end of the file; `length` in float32 numbers. */
const hash = v.pipe(v.string('a SHA-256'), v.regex(/^[0-9a-f]{64}$/, 'a SHA-256'));
const arraySchema = v.object({ length: count, sha256: hash });

const layoutSchema = v.object({
  tensors: listOf(v.object({ name: text, shape: listOf(count, 8) }), 100_000),
  adapter: v.nullable(v.object({ rank: count, alpha: metric, useRslora: flag, baseModel: v.nullable(text) })),
});

/** What the trainer goes on from; what it does not need is kept as it is. */
const trainerSchema = v.objectWithRest(
  {
    cursor: count,
    numTokens: metric,
    klCoefficient: metric,
    entropy: v.optional(v.object({ coefficient: metric, last: v.nullable(metric) })),
    evaluatedStep: v.optional(metric),
    baseline: v.nullable(reportSchema),
    lastEnding: v.optional(v.nullable(v.picklist(endings))),
    bestAccuracy: metric,
    evaluationsSinceBest: count,
    alerts: v.object({ active: listOf(text, 1000), recent: v.record(text, listOf(metric)) }),
  },
  v.unknown(),
) satisfies v.GenericSchema<unknown, Partial<TrainerState>>;

const checkpointSchema = v.object({
  version: v.literal(1),
  config: configSchema,
  step: count,
  updates: count,
  parameters: arraySchema,
  moment1: arraySchema,
  moment2: arraySchema,
  reference: v.nullable(arraySchema),
  layout: v.optional(layoutSchema),
  trainer: trainerSchema,
});

export type StoredCheckpoint = v.InferOutput<typeof checkpointSchema>;

/** A line of the file's history: what kind of record, and the record. */
export type HistoryRecord = ['step', StepRecord] | ['eval', Evaluation] | ['alert', Alert];

const blocks = listOf(v.object({ length: count, sha256: hash }), 100_000);

export const manifestSchema = v.object({
  record: runRecordSchema,
  history: blocks,
  rollouts: blocks,
  checkpoint: v.nullable(checkpointSchema),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;

/** Of version 1: all records at once. */
export const oldManifestSchema = v.object({
  record: runRecordSchema,
  steps: listOf(stepSchema),
  evals: listOf(evaluationSchema),
  alerts: listOf(alertSchema),
  rollouts: listOf(rolloutSchema),
  checkpoint: v.nullable(checkpointSchema),
});
