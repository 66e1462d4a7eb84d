/**
 * Keeps a run in the browser's storage while it trains. A failure of the storage never ends the training: it is told
 * once, the last checkpoint waits in memory to be taken as a file, and the next checkpoint tries again.
 */
import { toErrorReport, type ErrorReport } from '../src/base/error';
import type { Checkpoint, TrainerEvent } from '../src/run/record/events';
import type { RunStatus } from '../src/run/record/run-record';
import type { RunWriter } from './beginning';

export interface RunKeeper {
  /** Takes an event; it is written with the next checkpoint or `flush`. */
  add(event: TrainerEvent): void;
  /** Writes the events that wait. */
  flush(): Promise<void>;
  /** @returns whether it is kept */
  checkpoint(checkpoint: Checkpoint, best: boolean): Promise<boolean>;
  /** Writes how the run stands; what the storage refuses is written with the next thing that it takes. */
  status(status: RunStatus): Promise<void>;
  /** Tries once more what the storage has refused. */
  settle(): Promise<void>;
  /** The last checkpoint, whether or not the storage took it. */
  latest(): Checkpoint | null;
  /** Whether the storage lacks something that it was given. */
  isRefused(): boolean;
  /** Whether the storage has taken all that it was given. */
  holdsAll(): boolean;
  /** Seconds that the storage has taken since this was last asked. */
  secondsSince(): number;
}

/**
 * @param store - null where the browser allows no storage: nothing is kept then
 * @param resume - the checkpoint that the run goes on from
 */
export function createRunKeeper(
  store: RunWriter | null,
  runId: string,
  onFailure: (error: ErrorReport) => void,
  resume: Checkpoint | null = null,
): RunKeeper {
  let waiting: TrainerEvent[] = [];
  let last = resume;
  let isLastKept = true;
  let toldOf: string | null = null;
  let unwritten: RunStatus | null = null;
  let seconds = 0;

  async function writeStatus(open: RunWriter): Promise<void> {
    const status = unwritten;
    if (status === null) return;
    await open.updateRun(runId, { status });
    if (unwritten === status) unwritten = null;
  }

  async function attempt(write: (store: RunWriter) => Promise<unknown>): Promise<boolean> {
    if (store === null) return false;
    const start = performance.now();
    try {
      await write(store);
      await writeStatus(store);
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

  /** What the store has been handed waits in its log from then on, whether or not the storage took it. */
  const taken = (): TrainerEvent[] => {
    const events = waiting;
    waiting = [];
    return events;
  };

  const holdsAll = (): boolean =>
    store !== null && isLastKept && toldOf === null && waiting.length === 0 && unwritten === null;

  return {
    add(event) {
      if (store === null) return;
      // From here on the event says how the run stands.
      if (event.type === 'step' || event.type === 'done' || event.type === 'failed') unwritten = null;
      waiting.push(event);
    },
    async flush() {
      if (waiting.length > 0) await attempt((open) => open.appendEvents(runId, taken()));
    },
    async checkpoint(checkpoint, best) {
      last = checkpoint;
      isLastKept = await attempt((open) => open.saveCheckpoint(runId, checkpoint, taken(), { best }));
      return isLastKept;
    },
    async status(status) {
      unwritten = status;
      await attempt(() => Promise.resolve());
    },
    async settle() {
      // Deleted, or trained by another tab since: nothing is to be written any more.
      if (holdsAll() || toldOf === 'store/no-run' || toldOf === 'store/gone-on-elsewhere') return;
      await attempt((open) => open.appendEvents(runId, taken()));
    },
    latest: () => last,
    isRefused: () => store === null || toldOf !== null || !isLastKept,
    holdsAll,
    secondsSince() {
      const since = seconds;
      seconds = 0;
      return since;
    },
  };
}
