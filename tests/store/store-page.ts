/** The page of the store's browser tests. It offers its functions as `globalThis.marble`. */
import { MarbleError } from '../../src/base/error';
import { openStore } from '../../src/store/store';
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
