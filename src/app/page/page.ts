/** The state of the page, and the effects that connect its parts. */
import { computed, effect, signal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import type { RealRun, Recording } from '../../run/recording/recording-file';
import { readLadder } from '../../share/ladder-seed';
import { drawn } from '../session/paced';
import { createReader } from '../session/reading';
import { createSession } from '../session/session';
import type { OpenPort } from '../session/worker-port';
import { createDatasetLibrary } from './dataset-library';
import { createForm } from './form-store';
import { createLadder } from './ladder';
import { createPlaces } from './place';
import { fetchRealRun, fetchRecordings, recordingOf, viewOfRecording } from './recording';
import { createSweepQueue, runsAtOnce } from './sweep-queue';
import { shareNews, showTimeLeft, stayAwake } from './tab';

function createState(openPort: OpenPort, base: string) {
  const form = createForm();
  const session = createSession({ openPort, base, openReader: createReader, drawn });
  const recordings = signal<readonly Recording[] | null>(null);
  /** Preset of a recording that the first screen asks for, until the form changes. */
  const askedRecording = signal<string | null>(null);
  return {
    ...form,
    session,
    recordings,
    /** The recording of a real model; null until it is fetched. */
    realRun: signal<RealRun | null>(null),
    askedRecording,
    /** The recording that was asked for, else that of the form's preset; null without one. */
    recorded: computed(() => {
      const recording = recordingOf(recordings.value, askedRecording.value ?? form.preset.value);
      return recording === null ? null : viewOfRecording(recording);
    }),
    /** The chosen step of the run on show; null follows the run. */
    lookedAt: signal<number | null>(null),
    library: createDatasetLibrary(),
    queue: createSweepQueue(session, runsAtOnce(navigator)),
    ladder: createLadder(session, readLadder(location.hash), navigator.hardwareConcurrency),
    /** Run opened from the results of a class, and its student. */
    ofClass: signal<{ id: string; student: string } | null>(null),
    places: createPlaces(),
    /** Hides the settings of the experiment, and the ending of a run that has not ended. */
    lesson: signal(false),
  };
}

export type Page = ReturnType<typeof createState>;

/** Creates the state, connects its parts and fetches the recordings. Starts no training. */
export function createPage(openPort: OpenPort, base: string): Page {
  const page = createState(openPort, base);
  const { session } = page;
  stayAwake(session);
  // A file dropped beside a place for files would replace the page.
  for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());
  shareNews(session);
  showTimeLeft(session, page.ladder, page.queue);
  effect(() => {
    const [room, seat] = [page.classroom.value, page.seat.value];
    session.runClass.value = room && seat && { link: room.link, seat: seat.name };
  });
  // The form, and with it the copied link, takes the settings of an opened run, or of the student's seat once that is closed.
  let opened: string | null = null;
  effect(() => {
    const view = session.shown.value;
    const isSame = view?.id === opened;
    opened = view?.id ?? null;
    const seat = page.seat.peek();
    if (view === null && seat !== null) page.draft.value = seat.config;
    // While a sweep trains, the form keeps the base settings of the sweep.
    if (view === null || opened === null || isSame || page.queue.running.peek() !== null) return;
    page.draft.value = view.config;
    page.faults.value = new Map();
  });
  effect(() => {
    void page.draft.value;
    page.askedRecording.value = null;
  });
  effect(() => {
    // Another run is shown at its last step.
    const view = session.shown.value ?? page.recorded.value;
    if (view !== null) page.lookedAt.value = null;
  });
  effect(() => {
    // A lesson has no such places, also if its switch is pressed at one of them.
    const { name } = page.places.place.value;
    if (page.lesson.value && ['data', 'sweeps', 'class'].includes(name)) page.places.go({ name: 'run' });
  });
  void session.refreshRuns();
  void fetchRecordings(base).then((fetched) => (page.recordings.value = fetched));
  void fetchRealRun(base).then((fetched) => (page.realRun.value = fetched));
  return page;
}

export type Fillable = Pick<Page, 'faults' | 'session' | 'draft' | 'places'>;

/** Fills the form of Train and goes there. @param tab - opens the choice of a model, or focuses the button */
export function fillForm(
  { faults, session, draft, places }: Fillable,
  config: RunConfig,
  tab?: 'model' | 'train',
): void {
  const isIdle = session.activity.value === 'idle';
  faults.value = new Map();
  if (isIdle) session.shown.value = null; // otherwise Train shows the run that was opened last
  draft.value = config;
  places.go(tab === undefined || !isIdle ? { name: 'run' } : { name: 'run', tab }); // no button takes the focus of a run
}
