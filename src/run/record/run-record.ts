/** Entry of the list of runs: configuration, progress and machine. */
import * as v from 'valibot';
import { runConfigSchema } from '../config/config';
import { count, flag, moment, name, plain, step, text } from './record-fields';

/** Backend fields that other code reads. `ChosenBackend` has the others, and unknown fields are preserved. */
const backend = v.objectWithRest(
  {
    backend: v.picklist(['webgpu', 'wasm'], 'one of webgpu, wasm'),
    adapter: v.nullable(name),
    reason: text,
    fma: v.optional(flag),
  },
  v.unknown(),
);
const machine = v.pipe(
  plain,
  v.objectWithRest(
    {
      program: v.optional(name),
      build: v.optional(name),
      backend: v.optional(backend),
      /** Ids of the imported data sets that a run of the command began with. */
      data: v.optional(v.array(name)),
    },
    v.unknown(),
  ),
);

/** `running` without a holder of the trainer's lock means that the tab died. The run can be resumed. */
const status = v.picklist(['running', 'paused', 'stopped', 'done', 'failed']);

export type RunStatus = v.InferOutput<typeof status>;

/**
 * Class link that the run was started from, as the fragment of an address, and the seat: a number, or a name in runs of
 * earlier versions.
 */
const ofClass = v.object({ link: v.pipe(text, v.maxLength(8192)), seat: name });

export type RunClass = v.InferOutput<typeof ofClass>;

export const runRecordSchema = v.object({
  id: name,
  config: runConfigSchema,
  /** By default the differences from the preset (`runName` in the share room). */
  name,
  /** Text of an earlier version's visitor, and addresses of models that this version does not load. */
  notes: text,
  class: v.optional(ofClass),
  status,
  /** Cause and next step of a failed run, with the text of the error screen. */
  failure: v.optional(text),
  /** Last step with a stored record. */
  step,
  /** Step to resume from; null before the first checkpoint. */
  checkpointStep: v.nullable(step),
  /** Number of log entries. */
  logLength: count,
  /** Milliseconds since 1970. */
  createdAt: moment,
  updatedAt: moment,
  /** Adapter, browser, build, backend and its timing, as plain JSON that is shown and exported unchanged. */
  machine,
});

export type RunRecord = v.InferOutput<typeof runRecordSchema>;
