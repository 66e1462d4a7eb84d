/** Runs of this browser: sessions, recordings, sweeps, the ladder and data sets. */
import { computed, signal } from '@preact/signals';
import type { RealRun } from '../../run/recording/real-run';
import type { Recording } from '../../run/recording/recording-file';
import { drawn } from '../session/paced';
import { createParallelSessions } from '../session/parallel-sessions';
import { readRunFile } from '../session/reading';
import { createSession } from '../session/session';
import type { OpenPort } from '../session/worker-port';
import { browserStorage } from './browser-storage';
import { createDatasetLibrary } from './dataset-library';
import type { FormStore } from './form-store';
import { readLadder } from '../../share/ladder-seed';
import { createLadder } from './ladder';
import { recordingOf, viewOfRecording } from './recording';
import { createSweepQueue, usualAtOnce } from './sweep-queue';
import type { PlannedRun } from '../../../workers/protocol';

export type RunsStore = ReturnType<typeof createRuns>;

export function createRuns(openPort: OpenPort, base: string, { preset }: Pick<FormStore, 'preset'>) {
  const sessions = createParallelSessions((holders) =>
    createSession({ openPort, base, readRunFile, drawn, holders }),
  );
  const recordings = signal<readonly Recording[] | null>(null);
  return {
    sessions,
    /** All sessions as one. */
    session: sessions.together,
    /** Null until fetched. */
    recordings,
    /** The recording of a real model; null until it is fetched. */
    realRun: signal<RealRun | null>(null),
    /** Plans of the real models of the first screen, by preset. */
    realPlans: signal<ReadonlyMap<string, PlannedRun>>(new Map()),
    /** The recording of the form's preset; null without one. */
    recorded: computed(() => {
      const recording = recordingOf(recordings.value, { preset: preset.value });
      return recording === null ? null : viewOfRecording(recording);
    }),
    /** The chosen step of the run on show; null follows the run. */
    lookedAt: signal<number | null>(null),
    library: createDatasetLibrary(),
    queue: createSweepQueue(sessions, usualAtOnce(navigator)),
    ladder: createLadder(
      sessions,
      readLadder(location.hash),
      navigator.hardwareConcurrency,
      browserStorage(),
    ),
    /** Run opened from the results of a class, and its student. */
    ofClass: signal<{ id: string; student: string } | null>(null),
  };
}
