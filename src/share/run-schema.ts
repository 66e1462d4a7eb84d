/**
 * Schemas of a run file. A file is untrusted: every field is checked by the schemas of the records
 * (`../run/record/record-fields.ts`) or by the schemas of the manifest below.
 */
import * as v from 'valibot';
import type { TrainerState } from '../rl/trainer-state';
import { runConfigSchema } from '../run/config/config';
import { endings, oldEnding, renamedAlone } from '../run/verdict/ending';
import { reportSchema, type Evaluation } from '../run/record/evaluation';
import type { Alert, StepRecord } from '../run/record/events';
import { byName, count, flag, listOf, metric, name, plain, step } from '../run/record/record-fields';
import { runRecordSchema } from '../run/record/run-record';

const hash = v.pipe(v.string('a SHA-256'), v.regex(/^[0-9a-f]{64}$/, 'a SHA-256'));
/** An array at the end of the file. `length` counts float32 numbers. */
const arraySchema = v.object({ length: count, sha256: hash });

const layoutSchema = v.object({
  tensors: listOf(v.object({ name, shape: listOf(count, 8) }), 100_000),
  adapter: v.nullable(v.object({ rank: count, alpha: metric, useRslora: flag, baseModel: v.nullable(name) })),
});

/** State from which the trainer resumes. Unknown fields are kept. */
const trainerSchema = v.objectWithRest(
  {
    cursor: count,
    numTokens: metric,
    klCoefficient: metric,
    evaluatedStep: metric,
    baseline: v.nullable(reportSchema),
    lastEnding: v.nullable(v.pipe(v.picklist([...endings, oldEnding]), v.transform(renamedAlone))),
    alerts: v.object({
      active: listOf(name, 1000),
      last: v.optional(byName(metric)),
      recent: byName(listOf(metric, 1000)),
      leastCutOff: v.optional(metric),
    }),
  },
  plain,
) satisfies v.GenericSchema<unknown, TrainerState>;

/** A checkpoint with descriptions of its arrays. */
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

/** A line of the file's history: the kind of record and the record. */
export type HistoryRecord = ['step', StepRecord] | ['eval', Evaluation] | ['alert', Alert];

const blocks = listOf(v.object({ length: count, packed: v.optional(count), sha256: hash }), 100_000);

export const manifestSchema = v.object({
  record: runRecordSchema,
  history: blocks,
  rollouts: blocks,
  checkpoint: v.nullable(checkpointSchema),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;
