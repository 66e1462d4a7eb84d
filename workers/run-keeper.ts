/**
 * Keeps a run in the browser's storage while it trains. A failure of the storage never ends the training: it is told
 * once, the last checkpoint waits in memory to be taken as a file, and the next checkpoint tries again.
 */
import { toErrorReport, type ErrorReport } from '../src/base/error';
import type { Checkpoint, TrainerEvent } from '../src/run/record/events';
import type { RunStatus } from '../src/run/record/run-record';
import type { RunWriter } from './beginning';

export type RunKeeper = ReturnType<typeof createRunKeeper>;

/**
 * @param store - null where the browser allows no storage: nothing is kept then
 * @param resume - the checkpoint that the run goes on from
 */
export function createRunKeeper(
  store: RunWriter | null,
  runId: string,
  onFailure: (error: ErrorReport) => void,
  resume: Checkpoint | null = null,
) {
  /** What the store has not been handed yet. */
  let events: TrainerEvent[] = [];
  /** The last step whose record was handed over. */
  let taken = resume?.step ?? 0;
  /** Alerts of the unfinished step. They wait for its record: a resume from a checkpoint before it raises them again. */
  const early: TrainerEvent[] = [];
  /** How the run stands, where that is not written. */
  let standing: RunStatus | null = null;
  let last = resume;
  let isLastKept = true;
  /** The error that the storage refused with last; null once it has taken all that it was handed. */
  let refusal: ErrorReport['code'] | null = null;
  let seconds = 0;

  /**
   * Writes what waits, with a checkpoint where one is given: first the events, then how the run stands.
   *
   * @returns whether events and checkpoint are kept
   */
  async function writePending(checkpoint?: Checkpoint, best = false): Promise<boolean> {
    if (store === null) return false;
    let isKept = false;
    const start = performance.now();
    const handed = events;
    events = [];
    try {
      if (checkpoint !== undefined) await store.saveCheckpoint(runId, checkpoint, handed, { best });
      else if (handed.length > 0 || refusal !== null) await store.appendEvents(runId, handed);
      isKept = true;
      const status = standing;
      if (status !== null) await store.updateRun(runId, { status });
      if (standing === status) standing = null;
      refusal = null;
    } catch (thrown) {
      const error = toErrorReport(thrown);
      if (error.code !== refusal) onFailure(error);
      refusal = error.code;
    } finally {
      seconds += (performance.now() - start) / 1000;
    }
    return isKept;
  }

  /** Whether the storage lacks something that it was given. */
  const isRefused = (): boolean => store === null || refusal !== null || !isLastKept;

  /** Whether it has all that there is: nothing was refused, and nothing waits. */
  const holdsAll = (): boolean => !isRefused() && events.length === 0 && standing === null;

  return {
    /** Takes an event; it is written with the next checkpoint or `flush`. */
    add(event: TrainerEvent): void {
      if (store === null) return;
      if (event.type === 'alert' && event.alert.step > taken) {
        early.push(event);
        return;
      }
      if (event.type === 'step') taken = event.record.step;
      // From here on the event says how the run stands.
      if (event.type === 'step' || event.type === 'done' || event.type === 'failed') standing = null;
      events.push(event);
      if (event.type === 'step' || event.type === 'failed') events.push(...early.splice(0));
    },
    /** Writes the events that wait. */
    flush: () => writePending(),
    /** @returns whether it is kept */
    async checkpoint(checkpoint: Checkpoint, best: boolean): Promise<boolean> {
      last = checkpoint;
      isLastKept = await writePending(checkpoint, best);
      return isLastKept;
    },
    /** Writes how the run stands; what the storage refuses is written with the next thing that it takes. */
    async status(status: RunStatus): Promise<void> {
      standing = status;
      await writePending();
    },
    /** Tries once more what the storage has refused, but for a checkpoint: the next one takes its place. */
    async settle(): Promise<void> {
      // Deleted, or trained by another tab since: nothing is to be written any more.
      if (refusal !== 'store/no-run' && refusal !== 'store/gone-on-elsewhere') await writePending();
    },
    /** The last checkpoint, whether or not the storage took it. */
    latest: () => last,
    isRefused,
    holdsAll,
    /** Seconds that the storage has taken since this was last asked. */
    secondsSince(): number {
      const since = seconds;
      seconds = 0;
      return since;
    },
  };
}
