/** Everything behind the page: its sessions, one form, and what is on show. */
import { computed, effect, signal } from '@preact/signals';
import type { Fields } from '../../run/config/fields';
import type { RunConfig } from '../../run/config/config';
import type { Classroom } from '../../run/sweep/seats';
import { defaultPreset, presets } from '../../run/config/presets';
import { stayAwake } from './awake';
import { browserStorage } from './browser-storage';
import { createDatasetLibrary } from './dataset-library';
import { openDroppedRuns } from './dropped-runs';
import { shareNews } from './share-news';
import { createLadder, readLadder } from './ladder';
import { createPlaces } from './place';
import { fetchRecordings, recordingOf, viewOfRecording } from './recording';
import type { Recording } from '../../run/recording/recording-file';
import { fetchRealRun } from './fetch-real-run';
import type { RealRun } from '../../run/recording/real-run';
import { readRunFile } from '../session/reading';
import { drawn } from '../session/paced';
import { createParallelSessions } from '../session/parallel-sessions';
import { createSession } from '../session/session';
import { usualAtOnce, createSweepQueue } from './sweep-queue';
import type { OpenPort } from '../session/worker-port';
import type { ChosenBackend, PlannedRun } from '../../../workers/protocol';

/** What is wrong with a field's text, by its path; while there is anything, no run begins. */
export type Faults = ReadonlyMap<string, string>;

/** What a link has brought: the sender's run, before it is made here and when it is held against the sender's. */
export interface SharedLink {
  config: RunConfig;
  /** The sender's run in hashes (`share/run-fingerprint.ts`); null where the link holds settings alone. */
  fingerprint: string | null;
  /** On what the sender's run computed, where the link says so. */
  backend: ChosenBackend['backend'] | null;
}

/** A class with its link, which identifies it in the records of its runs. */
export interface LinkedClass extends Classroom {
  link: string;
}

export type Page = ReturnType<typeof createState>;

function createState(openPort: OpenPort, base: string) {
  const sessions = createParallelSessions((holders) =>
    createSession({ openPort, base, readRunFile, drawn, holders }),
  );
  const storage = browserStorage();
  const draft = signal<RunConfig>(presets[defaultPreset]);
  const preset = computed(() => draft.value.preset);
  const recordings = signal<readonly Recording[] | null>(null);
  return {
    sessions,
    /** What they are together. */
    session: sessions.together,
    places: createPlaces(),
    /** The settings of the next run, and what is wrong with its fields. */
    draft,
    faults: signal<Faults>(new Map()),
    /** Null until they are fetched. */
    recordings,
    /** The recorded run of a real model; null until it is fetched. */
    realRun: signal<RealRun | null>(null),
    /** Plans of the real models of the first screen, by preset. */
    realPlans: signal<ReadonlyMap<string, PlannedRun>>(new Map()),
    /** The recording of the preset that the form holds, where there is one. */
    recorded: computed(() => {
      const recording = recordingOf(recordings.value, { preset: preset.value });
      return recording === null ? null : viewOfRecording(recording);
    }),
    /** The step of the run on show that the page speaks of; null follows the run. */
    lookedAt: signal<number | null>(null),
    library: createDatasetLibrary(),
    queue: createSweepQueue(sessions, usualAtOnce(navigator)),
    ladder: createLadder(sessions, readLadder(location.hash), navigator.hardwareConcurrency, storage),
    /** What a new sweep varies, as text, in the link's notation. */
    sweepFields: signal<Fields>(new Map([['sweep.seed', '1,2,3']])),
    /** Hides the ending of a run until it is guessed, and all that changes the experiment. */
    lesson: signal(false),
    /** Names in the link that this version does not know. */
    ignored: signal<readonly string[]>([]),
    /** What the link that was opened has brought; null without one, or once it was read and closed. */
    sharedLink: signal<SharedLink | null>(null),
    /** Whether its first screen is still to be read. */
    isSharedLinkNew: signal(false),
    /** Set by a class link. */
    classroom: signal<LinkedClass | null>(null),
    /** What the student of a class link has typed, and the arm and the run that it gave. */
    seat: signal<{ name: string; arm: string; config: RunConfig } | null>(null),
    /** The run of a class that was opened from the table of all runs, and whose it is. */
    ofClass: signal<{ id: string; student: string } | null>(null),
    /** Run files that were dropped together and wait to be read as those of a class. */
    droppedRuns: signal<readonly File[]>([]),
  };
}

/** Nothing here starts training: that is the button's alone. */
export function createPage(openPort: OpenPort, base: string): Page {
  const page = createState(openPort, base);
  const { session } = page;
  stayAwake(session);
  shareNews(session);
  openDroppedRuns(globalThis, {
    one: (file) => {
      if (session.activity.value === 'idle') void session.openRunFile(file);
    },
    several: (files) => {
      page.droppedRuns.value = files;
      if (page.places.place.value.name !== 'class') page.places.go({ name: 'class' });
    },
  });
  effect(() => {
    const [room, seat] = [page.classroom.value, page.seat.value];
    session.runClass.value = room && seat && { link: room.link, seat: seat.name };
  });
  // Whoever comes back to the start of a class finds the run of the seat, whatever was opened meanwhile.
  effect(() => {
    if (session.shown.value !== null) return;
    const seat = page.seat.peek();
    if (seat !== null) page.draft.value = seat.config;
  });
  // The form, and with it the link that is copied, follows the run that is opened.
  let opened: string | null = null;
  effect(() => {
    const view = session.shown.value;
    if (view === null || view.id === null || view.id === opened) return;
    opened = view.id;
    // What a link has brought stays, although this tab shows the run of another one.
    if (session.activity.peek() === 'watching' && page.sharedLink.peek() !== null) return;
    // A sweep's runs come and go by themselves; the form stays with what they vary around.
    if (page.queue.running.peek() !== null) return;
    page.draft.value = view.config;
    page.faults.value = new Map();
  });
  effect(() => {
    // Another run is looked at from its end.
    const view = session.shown.value ?? page.recorded.value;
    if (view !== null) page.lookedAt.value = null;
  });
  void session.connect();
  void fetchRecordings(base).then((fetched) => (page.recordings.value = fetched));
  void fetchRealRun(base).then((fetched) => (page.realRun.value = fetched));
  return page;
}
