/** A run as the list of runs shows it: its configuration, how far it came, and on what it ran. */
import * as v from 'valibot';
import { runConfigSchema } from '../config/config';
import { count, flag, moment, name, plain, step, text } from './record-fields';

/** Where it ran, as far as others go by it: `ChosenBackend` has the rest, and any more is kept as it is. */
const backend = v.objectWithRest(
  {
    backend: v.picklist(['webgpu', 'wasm', 'cpu'], 'one of webgpu, wasm, cpu'),
    adapter: v.nullable(name),
    reason: text,
    fma: v.optional(flag),
  },
  v.unknown(),
);
const machine = v.pipe(
  plain,
  v.objectWithRest(
    { program: v.optional(name), build: v.optional(name), backend: v.optional(backend) },
    v.unknown(),
  ),
);

/** `running` with nobody holding the trainer's lock means that the tab died: the run can be resumed. */
const status = v.picklist(['running', 'paused', 'stopped', 'done', 'failed']);

export type RunStatus = v.InferOutput<typeof status>;

export const runRecordSchema = v.object({
  id: name,
  config: runConfigSchema,
  /** What differs from the preset (`runName` in the share room), until somebody gives it another. */
  name,
  notes: text,
  status,
  /** Of a run that failed: what happened and what to do, in the words of the screen that said so. */
  failure: v.optional(text),
  /** The last step whose record is kept. */
  step,
  /** The step from which the run can go on; null before its first checkpoint. */
  checkpointStep: v.nullable(step),
  /** The step whose weights answered best, on the validation set where there is one; missing while that is step 0. */
  bestStep: v.optional(step),
  /** Entries of its log. */
  logLength: count,
  /** Milliseconds since 1970. */
  createdAt: moment,
  updatedAt: moment,
  /** Adapter, browser, build, backend and its timing: plain JSON, shown and exported as it is. */
  machine,
});

export type RunRecord = v.InferOutput<typeof runRecordSchema>;
