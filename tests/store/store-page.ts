/** What the page of the store's tests offers to them, under `globalThis.marble`. */
import { MarbleError } from '../../src/base/error';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import type { Rollout } from '../../src/run/record/rollout-record';
import { findCheckpoint } from '../../src/store/checkpoints';
import { strictStore } from '../../src/store/connection';
import { openStore, type Store } from '../../src/store/store';
import { acquireRunLock, acquireTrainerLock, trainerAtWork, whileIdle } from '../../src/store/trainer-lock';
import { example } from '../share/example-config';

/** A checkpoint in which every number is the step's, so that a mixture of two would show. */
function checkpointAt(step: number, length = 1000): Checkpoint {
  const filled = (value: number) => new Float32Array(length).fill(value);
  return {
    version: 1,
    config: example,
    step,
    policy: {
      parameters: filled(step),
      moment1: filled(step + 0.25),
      moment2: filled(step + 0.5),
      updates: step,
      reference: filled(step + 0.75),
    },
    trainer: { kl: 0.01 * step, cursor: [step, step + 1] },
  };
}

/** The events of steps `from` to `to`, both included. */
function eventsOf(from: number, to: number): TrainerEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index): TrainerEvent[] => {
    const step = from + index;
    return [
      { type: 'rollouts', step, rollouts: [] },
      { type: 'step', record: { step, reward: step / 2 } },
      { type: 'progress', phase: 'update', step, fraction: 1 },
    ];
  }).flat();
}

function rolloutAt(step: number): Rollout {
  return { step, completion: `of step ${step}` } as Rollout;
}

/** @returns the step that fills every array of the checkpoint, or null where they disagree */
function stepWithin(checkpoint: Checkpoint): number | null {
  const { parameters, moment1, moment2, reference } = checkpoint.policy;
  const agrees =
    parameters.every((value) => value === checkpoint.step) &&
    moment1.every((value) => value === checkpoint.step + 0.25) &&
    moment2.every((value) => value === checkpoint.step + 0.5) &&
    (reference?.every((value) => value === checkpoint.step + 0.75) ?? false);
  return agrees ? checkpoint.step : null;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error instanceof MarbleError ? error.code : String(error);
  }
}

/** Looks at what the last life of this profile left, tells it to the server, and saves checkpoints until it is killed. */
async function saveUntilKilled(tell: (message: Record<string, unknown>) => Promise<void>): Promise<void> {
  const store: Store = await openStore('kills');
  const [known] = await store.listRuns();
  const { id } = known ?? (await store.createRun(example, 'kills', {}));
  const { resumed } = await store.resumeRun(id);
  const { steps } = await store.loadRun(id);
  const from = resumed?.checkpoint.step ?? 0;
  await tell({
    type: 'found',
    step: from,
    whole: resumed === null || stepWithin(resumed.checkpoint) === from,
    fellBack: resumed?.fellBack ?? false,
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
  strictStore,
  findCheckpoint,
  acquireTrainerLock,
  acquireRunLock,
  trainerAtWork,
  whileIdle,
  example,
  checkpointAt,
  eventsOf,
  rolloutAt,
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
