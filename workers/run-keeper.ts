/**
 * Stores a run in the browser during training. A storage failure never ends the training. It is reported once, the
 * last checkpoint stays in memory and can be saved as a file, and the next checkpoint retries.
 */
import { toErrorReport, type ErrorReport } from '../src/base/error';
import type { Checkpoint, TrainerEvent } from '../src/run/record/events';
import type { RunStatus } from '../src/run/record/run-record';
import type { StoredRun } from './stored-run';

export type RunKeeper = ReturnType<typeof createRunKeeper>;

/**
 * @param store - null if the browser allows no storage, in which case nothing is written
 * @param resume - the checkpoint that the run resumes from
 * @param refused - error of a storage that has refused the run's record
 */
export function createRunKeeper(
  store: StoredRun['store'],
  runId: string,
  onFailure: (error: ErrorReport) => void,
  resume: Checkpoint | null = null,
  refused: ErrorReport | null = null,
) {
  /** Events not yet passed to the store. */
  let events: TrainerEvent[] = [];
  /** The last step whose record was passed to the store. */
  let taken = resume?.step ?? 0;
  /** Alerts of the unfinished step, held until its record. A resume from an earlier checkpoint raises them again. */
  const early: TrainerEvent[] = [];
  /** Run status that is not yet written. */
  let standing: RunStatus | null = null;
  let last = resume;
  let isLastKept = true;
  /** Code of the last storage error; null once all pending data is written. */
  let refusal = refused && refused.code;
  let seconds = 0;

  let writing: Promise<unknown> = Promise.resolve();
  /** Writes after the writes before it. Two at once would both apply what the store has deferred. */
  function writePending(checkpoint?: Checkpoint): Promise<boolean> {
    const written = writing.then(() => writeNow(checkpoint));
    writing = written;
    return written;
  }

  /**
   * Writes pending events, the checkpoint if given, and then the run status. Never rejects.
   *
   * @returns whether events and checkpoint are stored
   */
  async function writeNow(checkpoint: Checkpoint | undefined): Promise<boolean> {
    if (store === null) return false;
    let isKept = false;
    const start = performance.now();
    const handed = events;
    events = [];
    try {
      if (checkpoint !== undefined) await store.saveCheckpoint(runId, checkpoint, handed);
      else if (handed.length > 0 || refusal !== null) await store.appendEvents(runId, handed);
      isKept = true;
      const status = standing;
      if (status !== null) await store.updateRun(runId, { status });
      if (standing === status) standing = null;
      refusal = null;
    } catch (thrown) {
      const error = toErrorReport(thrown);
      const isNew = error.code !== refusal;
      refusal = error.code;
      if (isNew) onFailure(error);
    } finally {
      seconds += (performance.now() - start) / 1000;
    }
    return isKept;
  }

  /** True if the storage lacks a part of the run. */
  const isRefused = (): boolean => store === null || refusal !== null || !isLastKept;

  /** True if the storage has refused nothing and nothing is pending. */
  const holdsAll = (): boolean => !isRefused() && events.length === 0 && standing === null;

  return {
    /** Adds an event, written with the next checkpoint or `flush`. */
    add(event: TrainerEvent): void {
      if (store === null) return;
      if (event.type === 'alert' && event.alert.step > taken) {
        early.push(event);
        return;
      }
      if (event.type === 'step') taken = event.record.step;
      // The event determines the run status from here on.
      if (event.type === 'step' || event.type === 'done' || event.type === 'failed') standing = null;
      events.push(event);
      if (event.type === 'step' || event.type === 'failed') events.push(...early.splice(0));
    },
    /** Writes pending events. */
    flush: () => writePending(),
    /** @returns whether it is stored */
    async checkpoint(checkpoint: Checkpoint): Promise<boolean> {
      last = checkpoint;
      isLastKept = await writePending(checkpoint);
      return isLastKept;
    },
    /** Writes the run status. If storage refuses it, the next successful write includes it. */
    async status(status: RunStatus): Promise<void> {
      standing = status;
      await writePending();
    },
    /** Retries what storage has refused, after the run's end. */
    async settle(): Promise<void> {
      // The run was deleted or another tab trained it since, so nothing must be written.
      if (refusal === 'store/no-run' || refusal === 'store/gone-on-elsewhere') return;
      if (last === null || isLastKept) await writePending();
      else isLastKept = await writePending(last);
    },
    /** The last checkpoint, stored or not. */
    latest: () => last,
    isRefused,
    holdsAll,
    /** Seconds spent on storage since the last call. */
    secondsSince(): number {
      const since = seconds;
      seconds = 0;
      return since;
    },
  };
}
