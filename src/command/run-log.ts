/**
 * The files of a run. At rest its folder holds `run.marble`, the page's file format for a run. While the run trains, and
 * after a kill, it also holds the log, which then counts. It grows by appending, so memory and the time of a checkpoint do
 * not depend on the length of the run. A stop or the end packs the log into `run.marble`.
 *
 *   metrics.jsonl   a line for each step, evaluation and alert: ["step", {…}]
 *   rollouts.jsonl  a line for each completion
 *   run.checkpoint  `marble-log 1 <bytes of metrics.jsonl> <bytes of rollouts.jsonl>`, then a run file without rows
 *
 * A checkpoint is written after its rows are on the disk, and a rename puts it in place. A kill at any moment therefore
 * leaves a checkpoint with all its rows. Later rows are cut off before the run resumes, which repeats them.
 */
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MarbleError } from '../base/error';
import type { BytesToRead } from '../base/read-within';
import type { Checkpoint, TrainerEvent } from '../run/record/events';
import { emptyHistory, putAtStep } from '../run/record/history';
import type { Rollout } from '../run/record/rollout-record';
import type { RunRecord } from '../run/record/run-record';
import { badFile, recordOf, writeJson } from '../share/record-blocks';
import { csvParts } from '../share/csv';
import {
  historyFrom,
  packInto,
  packRun,
  rolloutsFrom,
  unpackRun,
  type ReadRecord,
  type RunFile,
} from '../share/run-file';
import {
  chunksOf,
  holdFile,
  holdStart,
  linesOf,
  named,
  openToAppend,
  randomPath,
  writeNamed,
  writeWhole,
  type HeldFile,
} from './files';

export const runFileName = 'run.marble';
const METRICS = 'metrics.jsonl';
const ROLLOUTS = 'rollouts.jsonl';
const CHECKPOINT = 'run.checkpoint';

/** Bytes of the two logs. */
interface Lengths {
  metrics: number;
  rollouts: number;
}

/** A run that was read from its log. */
export interface LoggedRun extends RunFile {
  lengths: Lengths;
}

/**
 * Removes the log. The checkpoint goes first, because without it the rest does not count.
 *
 * @throws MarbleError `command/not-written`
 */
export async function removeLog(folder: string): Promise<void> {
  for (const path of [CHECKPOINT, METRICS, ROLLOUTS].map((name) => join(folder, name))) {
    await named(path, () => rm(path, { force: true }));
  }
}

/**
 * Replaces the saved run.
 *
 * @returns the error of `metrics.csv`, which the run does not need; null if there is none
 * @throws MarbleError `command/not-written`
 */
export async function saveRun(folder: string, run: RunFile): Promise<MarbleError | null> {
  await packFile(join(folder, runFileName), run);
  return writeNamed(join(folder, 'metrics.csv'), csvParts(run.history.steps)).then(
    () => null,
    (thrown: unknown) => thrown as MarbleError,
  );
}

/** Packs a run. Its blocks pass through a temporary file, because their hashes precede them. */
async function packFile(file: string, run: RunFile): Promise<void> {
  const path = randomPath(dirname(file), '.part');
  const unfinished = await openToAppend(path, 0, file);
  let blocks: HeldFile | null = null;
  try {
    const { head, arrays } = await packInto(run, unfinished.append);
    blocks = holdFile(path)!;
    await writeWhole(file, piecesOf(head, blocks, arrays));
  } finally {
    blocks?.close();
    await unfinished.close();
    rmSync(path, { force: true });
  }
}

async function* piecesOf(
  head: Uint8Array,
  blocks: BytesToRead,
  arrays: readonly Float32Array[],
): AsyncGenerator<Uint8Array, void, void> {
  yield head;
  yield* chunksOf(blocks);
  for (const { buffer, byteOffset, byteLength } of arrays)
    yield new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Reads a log up to its last checkpoint. Another process may be appending.
 *
 * @returns null if the folder has none
 * @throws MarbleError `share/bad-file`, `command/short-log`
 */
export async function readLog(folder: string): Promise<LoggedRun | null> {
  const file = holdFile(join(folder, CHECKPOINT));
  if (file === null) return null;
  try {
    const head = await file.slice(0, 64).text();
    const match = /^marble-log 1 (\d{1,15}) (\d{1,15})\n/.exec(head);
    if (match === null) throw badFile(`${CHECKPOINT} is not the checkpoint of a run's log.`);
    const lengths = { metrics: Number(match[1]), rollouts: Number(match[2]) };
    const { history, checkpoint, ignored } = await unpackRun(restOf(file, match[0].length));
    return {
      ...(await rowsOf(folder, lengths, history.record, checkpoint)),
      ...(ignored && { ignored }),
      lengths,
    };
  } finally {
    file.close();
  }
}

const restOf = (file: HeldFile, start: number): BytesToRead => ({
  size: file.size - start,
  slice: (from, to) => file.slice(start + from, start + to),
});

async function rowsOf(
  folder: string,
  lengths: Lengths,
  record: RunRecord,
  checkpoint: Checkpoint | null,
): Promise<RunFile> {
  const metrics = holdStart(join(folder, METRICS), lengths.metrics);
  try {
    const trained = checkpoint && checkpoint.config;
    // A stop within an evaluation repeats the one of the start.
    const history = await historyFrom(recordsOf(linesOf(metrics)), record, trained, putAtStep);
    return { history, checkpoint, rollouts: loggedRollouts(folder, lengths.rollouts) };
  } finally {
    metrics.close();
  }
}

/** Reads the rollouts anew at each iteration. */
function loggedRollouts(folder: string, length: number): AsyncIterable<readonly Rollout[]> {
  return {
    async *[Symbol.asyncIterator]() {
      const bytes = holdStart(join(folder, ROLLOUTS), length);
      try {
        yield* rolloutsFrom(recordsOf(linesOf(bytes)));
      } finally {
        bytes.close();
      }
    },
  };
}

async function* recordsOf(lines: AsyncIterable<string>): AsyncGenerator<ReadRecord, void, void> {
  for await (const line of lines) yield { record: recordOf(line), length: line.length };
}

const linesFor = (records: readonly unknown[]): string =>
  records.map((record) => `${writeJson(record)}\n`).join('');

/** Lines of an event for `metrics.jsonl`. */
function metricsOf(event: TrainerEvent): unknown[] {
  if (event.type === 'step') return [['step', event.record]];
  if (event.type === 'alert') return [['alert', event.alert]];
  const { report, verdict } = event.type === 'eval' ? event : {};
  return report === undefined ? [] : [['eval', { report, ...(verdict && { verdict }) }]];
}

export type RunLog = Awaited<ReturnType<typeof openLog>>;

/**
 * Opens the log of a run for appending: its own after its last checkpoint, or a new one with the rows of another file up to
 * that file's checkpoint. Drops the rows that `run` holds in memory.
 *
 * @throws MarbleError `command/not-written`, `command/short-log`
 */
export async function openLog(folder: string, run: RunFile | LoggedRun) {
  const isOwn = 'lengths' in run;
  const lengths: Lengths = isOwn ? { ...run.lengths } : { metrics: 0, rollouts: 0 };
  if (!isOwn) await removeLog(folder);
  const metrics = await openToAppend(join(folder, METRICS), lengths.metrics);
  const rollouts = await openToAppend(join(folder, ROLLOUTS), lengths.rollouts);
  const addTo = async (name: keyof Lengths, records: readonly unknown[]): Promise<void> => {
    if (records.length === 0) return;
    const bytes = new TextEncoder().encode(linesFor(records));
    await (name === 'metrics' ? metrics : rollouts).append(bytes);
    lengths[name] += bytes.length;
  };
  const log = {
    async append(event: TrainerEvent): Promise<void> {
      if (event.type === 'rollouts') await addTo('rollouts', event.rollouts);
      else await addTo('metrics', metricsOf(event));
    },
    /** Makes the rows so far count. */
    async commit(record: RunRecord, checkpoint: Checkpoint): Promise<void> {
      await Promise.all([metrics.sync(), rollouts.sync()]);
      const history = { ...emptyHistory, record };
      const file = await packRun({ history, rollouts: [], checkpoint });
      const head = `marble-log 1 ${lengths.metrics} ${lengths.rollouts}\n`;
      await writeWhole(join(folder, CHECKPOINT), [head, new Uint8Array(await file.arrayBuffer())]);
    },
    /** All rows so far, with the last checkpoint. */
    async read(record: RunRecord): Promise<RunFile> {
      const checkpoint = (await readLog(folder))?.checkpoint ?? null;
      return rowsOf(folder, lengths, record, checkpoint);
    },
    async close(): Promise<void> {
      await Promise.all([metrics.close(), rollouts.close()]);
    },
  };
  if (!isOwn) await takeRows(run, addTo, (record, checkpoint) => log.commit(record, checkpoint));
  run.history = { ...emptyHistory, record: run.history.record };
  run.rollouts = [];
  return log;
}

/** Copies the rows of a file up to its checkpoint. The run repeats later ones, and all of them without a checkpoint. */
async function takeRows(
  { history, rollouts, checkpoint }: RunFile,
  addTo: (name: keyof Lengths, records: readonly unknown[]) => Promise<void>,
  commit: (record: RunRecord, checkpoint: Checkpoint) => Promise<void>,
): Promise<void> {
  if (checkpoint === null) return;
  const isKept = ({ step }: { step: number }): boolean => step <= checkpoint.step;
  for (const step of history.steps.filter(isKept)) await addTo('metrics', [['step', step]]);
  for (const one of history.evals.filter(({ report }) => isKept(report)))
    await addTo('metrics', [['eval', one]]);
  for (const alert of history.alerts.filter(isKept)) await addTo('metrics', [['alert', alert]]);
  for await (const batch of rollouts) {
    if (isKept(batch[0])) await addTo('rollouts', batch);
  }
  await commit(history.record, checkpoint);
}
