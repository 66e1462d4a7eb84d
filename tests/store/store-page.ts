/** The page of the store's browser tests. It offers its functions as `globalThis.marble`. */
import { MarbleError } from '../../src/base/error';
import { openStore, type Store } from '../../src/store/store';
import { acquireRunLock, acquireTrainerLock, runsInTraining, whileIdle } from '../../src/store/trainer-lock';
import { newRunRecord } from '../../src/run/record/new-run';
import { example } from '../share/example-config';
import { checkpointAt, eventsOf, stepWithin } from './run-parts';

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error instanceof MarbleError ? error.code : String(error);
  }
}

/** Reports the data in this browser profile to the server, then saves checkpoints until the browser is killed. */
async function saveUntilKilled(tell: (message: Record<string, unknown>) => Promise<void>): Promise<void> {
  const store: Store = await openStore('kills');
  const [known] = await store.listRuns();
  const { id } = known ?? (await store.createRun(newRunRecord(example, 'kills', {})));
  const { resumed } = await store.resumeRun(id);
  const { steps } = await store.loadRun(id);
  const from = resumed?.checkpoint.step ?? 0;
  await tell({
    type: 'found',
    step: from,
    whole: resumed === null || stepWithin(resumed.checkpoint) === from,
    damaged: resumed && resumed.damaged,
    log: steps.map(({ step }) => step),
  });
  for (let step = from + 1; ; step += 1) {
    await store.appendEvents(id, eventsOf(step, step));
    await tell({ type: 'writing', step });
    await store.saveCheckpoint(id, checkpointAt(step, 200_000));
    await tell({ type: 'saved', step });
  }
}

const marble = {
  openStore,
  acquireTrainerLock,
  acquireRunLock,
  runsInTraining,
  whileIdle,
  example,
  newRunRecord,
  checkpointAt,
  eventsOf,
  stepWithin,
  codeOf,
};
export type StorePage = typeof marble;

Object.assign(globalThis, { marble });

if (location.pathname === '/kills') {
  await saveUntilKilled(async (message) => {
    await fetch('/told', { method: 'POST', body: JSON.stringify(message) });
  });
}
