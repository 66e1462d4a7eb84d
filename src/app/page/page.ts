/** The three stores of the page, and the effects that connect them. */
import { effect, signal } from '@preact/signals';
import { stayAwake } from './awake';
import { openDroppedRuns } from './dropped-runs';
import { createForm, type FormStore } from './form-store';
import { createPlaces } from './place';
import { fetchRealRun, fetchRecordings } from './recording';
import { createRuns, type RunsStore } from './runs-store';
import { shareNews } from '../session/share-news';
import { showTimeLeft } from './tab-title';
import type { OpenPort } from '../session/worker-port';

/** Where the visitor is. */
export type PlaceStore = ReturnType<typeof createPlaceStore>;

const createPlaceStore = () => ({
  places: createPlaces(),
  /** Hides the ending of a run until it is guessed, and all that changes the experiment. */
  lesson: signal(false),
  /** Run files that were dropped together, to be read as those of a class. */
  droppedRuns: signal<readonly File[]>([]),
});

/** All stores, for components that read most of them. */
export type Page = FormStore & RunsStore & PlaceStore;

/** Starts no training. */
export function createPage(openPort: OpenPort, base: string): Page {
  const form = createForm();
  const page = { ...form, ...createRuns(openPort, base, form), ...createPlaceStore() };
  const { session } = page;
  stayAwake(session);
  shareNews(session);
  showTimeLeft(session, page.ladder);
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
