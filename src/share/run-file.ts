/**
 * A complete run as one file: record, metrics, rollouts, evaluations, alerts and, if there is one, the last checkpoint.
 *
 *     marble-run 1\n
 *     <SHA-256 of the JSON> <its length in bytes>\n
 *     <JSON: the manifest of run-schema.ts>
 *     <blocks of steps, evaluations and alerts, then blocks of rollouts (record-blocks.ts), each compressed and described in
 *      the manifest>
 *     <parameters, moments and reference: little-endian float32, each with its SHA-256 in the manifest>
 *
 * Reading checks the sizes, hashes and fields of a file before it returns any data. Rollouts, the bulk of a file, are checked
 * block by block during iteration.
 */
import * as v from 'valibot';
import type { BytesToRead } from '../base/read-within';
import { sha256 } from '../base/digest';
import { MarbleError } from '../base/error';
import { evaluationSchema, type Evaluation } from '../run/record/evaluation';
import { alertSchema, stepSchema, type Alert, type Checkpoint, type StepRecord } from '../run/record/events';
import type { RunHistory } from '../run/record/history';
import { MOST_HISTORY, MOST_STEP } from '../run/record/record-limits';
import type { RunRecord } from '../run/record/run-record';
import { rolloutSchema, type Rollout } from '../run/record/rollout-record';
import {
  badFile,
  bytesAt,
  lengthOf,
  readBlocks,
  recordOf,
  storedLengthOf,
  textOf,
  writeBlocks,
  writeJson,
  type PutBlock,
} from './record-blocks';
import { sameConfig } from '../run/config/fields';
import { manifestSchema, type HistoryRecord, type Manifest, type StoredCheckpoint } from './run-schema';
import type { RunConfig } from '../run/config/config';
import { complaint } from '../run/config/check-config';
import { manifestWithoutDeleted } from '../run/config/deleted-fields';
import { MOST_COLUMNS } from '../run/config/field-schemas';

export interface RunFile {
  history: RunHistory;
  /** Batches of one step, in order of the steps. Those of a file are read during iteration, which may throw. */
  rollouts: Iterable<readonly Rollout[]> | AsyncIterable<readonly Rollout[]>;
  checkpoint: Checkpoint | null;
  /** Fields of the file that this version no longer has and leaves out; absent for none. */
  ignored?: readonly string[];
}

const version = 1;
const headLength = 128;
/** Limit on the manifest in bytes. */
const manifestLimit = 64 * 2 ** 20;
const arrayNames = ['parameters', 'moment1', 'moment2', 'reference'] as const;

/** Float32 arrays of a checkpoint, in the order of the file. */
function arraysOf({ policy }: Checkpoint): Float32Array<ArrayBuffer>[] {
  return arrayNames.flatMap((name) => (policy[name] as Float32Array<ArrayBuffer> | null) ?? []);
}

async function storedForm(checkpoint: Checkpoint): Promise<StoredCheckpoint> {
  const { version, config, step, trainer, policy } = checkpoint;
  const described: StoredCheckpoint['parameters'][] = [];
  for (const array of arraysOf(checkpoint)) {
    described.push({ length: array.length, sha256: await sha256(array) });
  }
  const [parameters, moment1, moment2, reference = null] = described;
  return {
    ...{ version, config, step, updates: policy.updates, parameters, moment1, moment2, reference },
    trainer: trainer as StoredCheckpoint['trainer'], // opaque outside the trainer
    layout: policy.layout as StoredCheckpoint['layout'],
  };
}

function* historyRecords({ steps, evals, alerts }: RunHistory): Generator<HistoryRecord> {
  for (const step of steps) yield ['step', step];
  for (const evaluation of evals) yield ['eval', evaluation];
  for (const alert of alerts) yield ['alert', alert];
}

async function* flat(batches: RunFile['rollouts']): AsyncGenerator<Rollout> {
  for await (const batch of batches) yield* batch;
}

/**
 * Packs a run in pieces, so that memory holds one block of rollouts.
 *
 * @param put takes the blocks, which lie between the head and the arrays
 * @throws MarbleError `share/too-big` for a run that `unpackRun` would reject
 */
export async function packInto(
  { history, rollouts, checkpoint }: RunFile,
  put: PutBlock,
): Promise<{ head: Uint8Array<ArrayBuffer>; arrays: Float32Array<ArrayBuffer>[] }> {
  const checks = historyCheck();
  const manifest: Manifest = {
    record: history.record,
    history: await writeBlocks(historyRecords(history), put, tooBig(checks.accept)),
    rollouts: await writeBlocks(flat(rollouts), put, tooBig(rolloutCheck())),
    checkpoint: checkpoint && (await storedForm(checkpoint)),
  };
  tooBig(() => {
    checked(manifestSchema, manifestWithoutDeleted(manifest).manifest);
    checks.end(history.record, checkpoint?.config ?? null);
  })();
  const bytes = new TextEncoder().encode(writeJson(manifest));
  tooBig(checkManifestLength)(bytes.length);
  const line = new TextEncoder().encode(`marble-run ${version}\n${await sha256(bytes)} ${bytes.length}\n`);
  const head = new Uint8Array(line.length + bytes.length);
  head.set(line);
  head.set(bytes, line.length);
  return { head, arrays: checkpoint === null ? [] : arraysOf(checkpoint) };
}

/**
 * @returns the file, usually named `*.marble`
 * @throws MarbleError those of `packInto`
 */
export async function packRun(run: RunFile): Promise<Blob> {
  const blocks: Blob[] = [];
  // A Blob moves the bytes out of the page's heap.
  const { head, arrays } = await packInto(run, (bytes) => void blocks.push(new Blob([bytes])));
  return new Blob([head, ...blocks, ...arrays], { type: 'application/octet-stream' });
}

/** Calls a check of the reader while writing. @throws MarbleError `share/too-big` instead of `share/bad-file` */
function tooBig<Given extends unknown[], Result>(
  check: (...given: Given) => Result,
): (...given: Given) => Result {
  return (...given) => {
    try {
      return check(...given);
    } catch (thrown) {
      if (!(thrown instanceof MarbleError) || thrown.code !== 'share/bad-file') throw thrown;
      const message = `A run file cannot hold this run. ${thrown.message}`;
      throw new MarbleError('share/too-big', message, 'Save its metrics as CSV instead.', { cause: thrown });
    }
  };
}

function checkManifestLength(length: number): void {
  if (length <= manifestLimit) return;
  throw badFile(`The file's manifest has ${length} bytes; the limit is ${manifestLimit}.`);
}

/** Reads the head and the manifest. `end` is the offset of the first block. */
async function readHead(file: BytesToRead): Promise<{ manifest: unknown; end: number }> {
  const head = await file.slice(0, headLength).text();
  const match = /^marble-run ([1-9]\d{0,5})\n/.exec(head);
  if (match === null) throw badFile('This is not the file of a Marble run.');
  const fileVersion = Number(match[1]);
  if (fileVersion > version) {
    throw new MarbleError(
      'share/newer-file',
      `The file has version ${fileVersion}; this version of Marble reads version ${version}.`,
      'Reload the page to get the newest version of Marble, then open the file again.',
    );
  }
  const sizes = /^marble-run \d+\n([0-9a-f]{64}) (\d{1,12})\n/.exec(head);
  if (sizes === null) throw badFile('The head of the file is damaged.');
  const [{ length: start }, hash, digits] = sizes;
  const length = Number(digits);
  checkManifestLength(length);
  const bytes = await bytesAt(file, start, length, hash);
  return { manifest: recordOf(textOf(bytes)), end: start + length };
}

/** @param place path of the value in the file, for the error: `steps.3` */
function checked<T>(schema: v.GenericSchema<unknown, T>, value: unknown, place = ''): T {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (!result.success) throw badFile(place + complaint(result.issues[0]));
  return result.output;
}

/** A record that was read, with the number of characters of its JSON. */
export interface ReadRecord {
  record: unknown;
  length: number;
}

/** Adds a record to those before it. */
type PutRecord = <T>(list: T[], entry: T, stepOf: (entry: T) => number) => void;

/**
 * Checks and collects steps, evaluations and alerts.
 *
 * @throws MarbleError `share/bad-file`
 */
export async function historyFrom(
  entries: AsyncIterable<ReadRecord>,
  record: RunRecord,
  trained: RunConfig | null,
  put?: PutRecord,
): Promise<RunHistory> {
  const checks = historyCheck(put);
  for await (const { record: entry, length } of entries) checks.accept(entry, length);
  return checks.end(record, trained);
}

/** Checks the records of a history in turn, while it is written and while it is read. */
function historyCheck(put: PutRecord = (list, entry) => void list.push(entry)) {
  const steps: StepRecord[] = [];
  const evals: Evaluation[] = [];
  const alerts: Alert[] = [];
  let total = 0;
  return {
    /** @param length - characters of its JSON. @throws MarbleError `share/bad-file` */
    accept: (entry: unknown, length: number): void => {
      total += length;
      if (total > MOST_HISTORY)
        throw badFile(`The metrics and evaluations of this run exceed ${MOST_HISTORY} characters.`);
      const [kind, value] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (kind === 'step')
        put(steps, checked(stepSchema, value, `steps.${steps.length}.`), ({ step }) => step);
      else if (kind === 'eval')
        put(evals, checked(evaluationSchema, value, `evals.${evals.length}.`), ({ report }) => report.step);
      else if (kind === 'alert') alerts.push(checked(alertSchema, value, `alerts.${alerts.length}.`));
      else throw badFile('A record of the file is not a step, an evaluation or an alert.');
    },
    /** The accepted history. @throws MarbleError `share/bad-file` */
    end(record: RunRecord, trained: RunConfig | null): RunHistory {
      const fault = faultIn({ record, steps, evals }, trained);
      if (fault !== null) throw badFile(fault);
      return { record, steps, evals, alerts };
    },
  };
}

/** Checks properties that involve several records: order of steps, number of columns, equal settings. Null if valid. */
function faultIn(
  { record, steps, evals }: Omit<RunHistory, 'alerts'>,
  trained: RunConfig | null,
): string | null {
  for (const places of [steps.map(({ step }) => step), evals.map(({ report }) => report.step)]) {
    const wrong = places.findIndex((place, index) => index > 0 && place <= places[index - 1]);
    if (wrong !== -1) return `Step ${places[wrong]} follows step ${places[wrong - 1]}.`;
  }
  const columns = new Set<string>();
  for (const names of [...steps, ...evals.flatMap(({ report }) => [report.byOrder, report.heldOut])])
    for (const name in names) columns.add(name);
  if (columns.size > MOST_COLUMNS)
    return `The run has ${columns.size} different names of metrics and evaluation sets; the limit is ${MOST_COLUMNS}.`;
  const isSame = trained === null || sameConfig(trained, record.config);
  return isSame ? null : 'The checkpoint has other settings than the run.';
}

/** Checks rollouts in turn, while they are written and while they are read. */
function rolloutCheck() {
  const columns = new Set<string>();
  let step = 0;
  let size = 0;
  let count = 0;
  /** @param length - characters of its JSON. @throws MarbleError `share/bad-file` */
  return (record: unknown, length: number): Rollout => {
    const rollout = checked(rolloutSchema, record, `rollouts.${count}.`);
    count += 1;
    for (const { name } of rollout.reward.parts) columns.add(name);
    if (columns.size > MOST_COLUMNS)
      throw badFile(`The parts of the rewards have more than ${MOST_COLUMNS} different names.`);
    if (count > 1 && rollout.step < step)
      throw badFile(`The rollouts of step ${rollout.step} follow those of step ${step}.`);
    size = rollout.step === step ? size + length : length;
    step = rollout.step;
    if (size > MOST_STEP) throw badFile(`The rollouts of step ${step} exceed ${MOST_STEP} characters.`);
    return rollout;
  };
}

/** Checks rollouts and yields them step by step. Memory holds those of one step. @throws MarbleError `share/bad-file` */
export async function* rolloutsFrom(
  records: AsyncIterable<ReadRecord>,
): AsyncGenerator<Rollout[], void, void> {
  const accept = rolloutCheck();
  let batch: Rollout[] = [];
  for await (const { record, length } of records) {
    const rollout = accept(record, length);
    if (batch.length > 0 && rollout.step > batch[0].step) {
      yield batch;
      batch = [];
    }
    batch.push(rollout);
  }
  if (batch.length > 0) yield batch;
}

async function readCheckpoint(
  file: BytesToRead,
  stored: StoredCheckpoint,
  described: ReturnType<typeof describedIn>,
  start: number,
): Promise<Checkpoint> {
  if (described.some(({ length }) => length !== stored.parameters.length)) {
    throw badFile('The arrays of the checkpoint differ in length.');
  }
  const arrays: Float32Array[] = [];
  let offset = start;
  for (const { length, sha256: hash } of described) {
    arrays.push(new Float32Array(await bytesAt(file, offset, 4 * length, hash, 'checkpoint')));
    offset += 4 * length;
  }
  const [parameters, moment1, moment2, reference = null] = arrays;
  const { version: format, config, step, trainer, updates, layout } = stored;
  const policy = { parameters, moment1, moment2, updates, reference, ...(layout && { layout }) };
  return { version: format, config, step, trainer, policy };
}

const describedIn = (stored: StoredCheckpoint | null) => arrayNames.flatMap((name) => stored?.[name] ?? []);

/**
 * Opens an untrusted file in the format of `packRun`.
 *
 * @throws MarbleError `share/bad-file` with the field or the place, `share/newer-file`; iterating the rollouts throws
 *   `share/bad-file`
 */
export async function unpackRun(file: BytesToRead): Promise<RunFile> {
  const head = await readHead(file);
  const { manifest: known, ignored } = manifestWithoutDeleted(head.manifest);
  const manifest = checked(manifestSchema, known);
  const { checkpoint: stored } = manifest;
  const samples = head.end + storedLengthOf(manifest.history);
  const arrays = samples + storedLengthOf(manifest.rollouts);
  const described = describedIn(stored);
  const size = arrays + 4 * lengthOf(described);
  if (file.size !== size) throw badFile(`The file has ${file.size} bytes; its manifest requires ${size}.`);
  return {
    history: await historyFrom(
      readBlocks(file, head.end, manifest.history),
      manifest.record,
      stored && stored.config,
    ),
    rollouts: rolloutsFrom(readBlocks(file, samples, manifest.rollouts)),
    checkpoint: stored && (await readCheckpoint(file, stored, described, arrays)),
    ...(ignored.length > 0 && { ignored }),
  };
}
