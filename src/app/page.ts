/** Everything behind the page: its sessions, one form, and what is on show. */
import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals';
import { classNote } from '../run/sweep/class-note';
import { defaultPreset, presets } from '../run/config/presets';
import { followForm, readLink, type LinkedPage } from './link/link';
import { stayAwake } from './shell/awake';
import { createKeptCheck, type KeptCheck } from './check/kept-check';
import { browserStorage } from './shell/browser-storage';
import { createDatasetLibrary, type DatasetLibrary } from './data/dataset-library';
import { openDroppedRuns } from './runs/dropped-runs';
import { shareNews } from './session/share-news';
import { createLadder, readLadder, type Ladder } from './ladder/ladder';
import { createPlaces } from './shell/place';
import { fetchRecordings, recordingOf, viewOfRecording, type Recording } from './start/recording';
import type { RunView } from './session/run-view';
import { readRunFile } from './session/reading';
import { createStepPace, standingOfView, type StepPace } from './run/remaining-time';
import { drawn } from './session/paced';
import { createParallelSessions, type ParallelSessions } from './session/parallel-sessions';
import { createSession } from './session/session';
import { usualAtOnce, createSweepQueue, type SweepQueue } from './sweeps/sweep-queue';
import type { OpenPort } from './session/worker-port';

export interface Page extends LinkedPage {
  /** Of which `session` is what they are together. */
  sessions: ParallelSessions;
  /** Null until they are fetched. */
  recordings: Signal<readonly Recording[] | null>;
  /** The recording of the preset that the form holds, where there is one. */
  recorded: ReadonlySignal<RunView | null>;
  /** The step of the run on show that the page speaks of; null follows the run. */
  lookedAt: Signal<number | null>;
  pace: StepPace;
  library: DatasetLibrary;
  queue: SweepQueue;
  ladder: Ladder;
  keptCheck: KeptCheck;
  /** Resolves when what the link holds is in the form. */
  isRead: Promise<void>;
  /** The run of a class that was opened from the table of all runs, and whose it is. */
  ofClass: Signal<{ id: string; student: string } | null>;
  /** Run files that were dropped together and wait to be read as those of a class. */
  droppedRuns: Signal<readonly File[]>;
}

/** Everything behind the page. Nothing here starts training: that is the button's alone. */
export function createPage(openPort: OpenPort, base: string): Page {
  const sessions = createParallelSessions(() => createSession({ openPort, base, readRunFile, drawn }));
  const session = sessions.together;
  const storage = browserStorage();
  const draft = signal(presets[defaultPreset]);
  const preset = computed(() => draft.value.preset);
  const recordings = signal<readonly Recording[] | null>(null);
  const page: Page = {
    sessions,
    session,
    draft,
    faults: signal(new Map()),
    recordings,
    recorded: computed(() => {
      const recording = recordingOf(recordings.value, { preset: preset.value });
      return recording === null ? null : viewOfRecording(recording);
    }),
    lookedAt: signal(null),
    ignored: signal([]),
    pace: createStepPace(),
    places: createPlaces(),
    library: createDatasetLibrary(),
    queue: createSweepQueue(sessions, usualAtOnce(navigator)),
    ladder: createLadder(
      sessions,
      recordings,
      readLadder(location.hash),
      navigator.hardwareConcurrency,
      storage,
    ),
    keptCheck: createKeptCheck(storage),
    sweepFields: signal(new Map([['sweep.seed', '1,2,3']])),
    hidden: signal([]),
    sharedLink: signal(null),
    isSharedLinkNew: signal(false),
    classroom: signal(null),
    seat: signal(null),
    ofClass: signal(null),
    droppedRuns: signal([]),
    isRead: Promise.resolve(),
  };
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
  // Whose run it is stands in its note, so that a teacher can tell.
  effect(() => {
    const view = session.shown.value;
    const seat = page.seat.value;
    if (seat === null || view?.origin !== 'live' || view.id === null) return;
    const { id } = view;
    untracked(() => void session.setNotes(id, classNote(seat.name)));
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
  effect(() => {
    const view = session.shown.value;
    if (view?.origin === 'live') page.pace.tell(performance.now(), standingOfView(view));
  });
  effect(() => {
    if (session.activity.value !== 'running') page.pace.restart();
  });
  page.isRead = readLink(location.hash, page);
  followForm(page);
  void session.connect();
  void fetchRecordings(base).then((fetched) => (recordings.value = fetched));
  return page;
}
