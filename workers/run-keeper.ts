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
  let waiting: TrainerEvent[] = [];
  let last = resume;
  let isLastKept = true;
  let toldOf: string | null = null;
  let unwritten: RunStatus | null = null;
  let seconds = 0;

  async function attempt(write: (store: RunWriter) => Promise<unknown>): Promise<boolean> {
    if (store === null) return false;
    const start = performance.now();
    try {
      await write(store);
      const status = unwritten;
      if (status !== null) await store.updateRun(runId, { status });
      if (unwritten === status) unwritten = null;
      toldOf = null;
      return true;
    } catch (thrown) {
      const error = toErrorReport(thrown);
      if (error.code !== toldOf) onFailure(error);
      toldOf = error.code;
      return false;
    } finally {
      seconds += (performance.now() - start) / 1000;
    }
  }

  /** Whether the storage has taken all that it was given. */
  const holdsAll = (): boolean =>
    store !== null && isLastKept && toldOf === null && waiting.length === 0 && unwritten === null;

  /** What the store has been handed waits in its log from then on, whether or not the storage took it. */
  const taken = (): TrainerEvent[] => {
    const events = waiting;
    waiting = [];
    return events;
  };

  return {
    /** Takes an event; it is written with the next checkpoint or `flush`. */
    add(event: TrainerEvent): void {
      if (store === null) return;
      // From here on the event says how the run stands.
      if (event.type === 'step' || event.type === 'done' || event.type === 'failed') unwritten = null;
      waiting.push(event);
    },
    /** Writes the events that wait. */
    async flush(): Promise<void> {
      if (waiting.length > 0) await attempt((open) => open.appendEvents(runId, taken()));
    },
    /** @returns whether it is kept */
    async checkpoint(checkpoint: Checkpoint, best: boolean): Promise<boolean> {
      last = checkpoint;
      isLastKept = await attempt((open) => open.saveCheckpoint(runId, checkpoint, taken(), { best }));
      return isLastKept;
    },
    /** Writes how the run stands; what the storage refuses is written with the next thing that it takes. */
    async status(status: RunStatus): Promise<void> {
      unwritten = status;
      await attempt(() => Promise.resolve());
    },
    /** Tries once more what the storage has refused. */
    async settle(): Promise<void> {
      // Deleted, or trained by another tab since: nothing is to be written any more.
      if (holdsAll() || toldOf === 'store/no-run' || toldOf === 'store/gone-on-elsewhere') return;
      await attempt((open) => open.appendEvents(runId, taken()));
    },
    /** The last checkpoint, whether or not the storage took it. */
    latest: () => last,
    /** Whether the storage lacks something that it was given. */
    isRefused: () => store === null || toldOf !== null || !isLastKept,
    holdsAll,
    /** Seconds that the storage has taken since this was last asked. */
    secondsSince(): number {
      const since = seconds;
      seconds = 0;
      return since;
    },
  };
}
