/**
 * The shape of what a run file holds. A file comes from anybody: every field is checked, by the schemas of the records
 * themselves (`../run/record/record-fields.ts`) and by those of the file's own parts.
 */
import * as v from 'valibot';
import type { TrainerState } from '../rl/trainer-state';
import { runConfigSchema } from '../run/config/config';
import { endings, oldEnding } from '../run/verdict/ending';
import { renamedAlone } from '../run/verdict/rule';
import { reportSchema, type Evaluation } from '../run/record/evaluation';
import type { Alert, StepRecord } from '../run/record/events';
import { byName, count, flag, listOf, metric, name, plain, step } from '../run/record/record-fields';
import { runRecordSchema } from '../run/record/run-record';

/** The file carries the last checkpoint alone, so it knows of no best step. */
const storedRecordSchema = v.object({
  ...v.omit(runRecordSchema, ['bestStep']).entries,
  config: runConfigSchema,
});

/** The checkpoint without its arrays, which stand at the end of the file; `length` in float32 numbers. */
const hash = v.pipe(v.string('a SHA-256'), v.regex(/^[0-9a-f]{64}$/, 'a SHA-256'));
const arraySchema = v.object({ length: count, sha256: hash });

const layoutSchema = v.object({
  tensors: listOf(v.object({ name, shape: listOf(count, 8) }), 100_000),
  adapter: v.nullable(v.object({ rank: count, alpha: metric, useRslora: flag, baseModel: v.nullable(name) })),
});

/** What the trainer goes on from; what it does not need is kept as it is. */
const trainerSchema = v.objectWithRest(
  {
    cursor: count,
    numTokens: metric,
    klCoefficient: metric,
    evaluatedStep: metric,
    baseline: v.nullable(reportSchema),
    lastEnding: v.nullable(v.pipe(v.picklist([...endings, oldEnding]), v.transform(renamedAlone))),
    bestAccuracy: metric,
    evaluationsSinceBest: count,
    alerts: v.object({ active: listOf(name, 1000), recent: byName(listOf(metric, 1000)) }),
  },
  plain,
) satisfies v.GenericSchema<unknown, TrainerState>;

const checkpointSchema = v.object({
  version: v.literal(1),
  config: runConfigSchema,
  step,
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

const blocks = listOf(v.object({ length: count, packed: v.optional(count), sha256: hash }), 100_000);

export const manifestSchema = v.object({
  record: storedRecordSchema,
  history: blocks,
  rollouts: blocks,
  checkpoint: v.nullable(checkpointSchema),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;
