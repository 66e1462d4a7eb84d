/** Everything behind the page: one session, one form, and what is on show. */
import { effect, signal, type Signal } from '@preact/signals';
import { defaultPreset, presets } from '../run/presets';
import { stayAwake } from './awake';
import { createDatasetLibrary, type DatasetLibrary } from './data/dataset-library';
import { readLink, type LinkedPage } from './link';
import { createPlaces } from './place';
import { fetchRecording, startReplay, type Recording, type Replay } from './recording';
import { createPace, type Pace } from './remaining-time';
import { createSession } from './session/session';
import { createSweepQueue, type SweepQueue } from './sweeps/sweep-queue';
import type { OpenPort } from './trainer-port';

export interface Page extends LinkedPage {
  recording: Signal<Recording | null>;
  replay: Signal<Replay | null>;
  pace: Pace;
  library: DatasetLibrary;
  queue: SweepQueue;
}

/** Everything behind the page. Nothing here starts training: that is the button's alone. */
export function createPage(openPort: OpenPort, base: string): Page {
  const session = createSession(openPort, base);
  const page: Page = {
    session,
    draft: signal(presets[defaultPreset]),
    faults: signal(new Map()),
    recording: signal(null),
    replay: signal(null),
    ignored: signal([]),
    pace: createPace(),
    places: createPlaces(),
    library: createDatasetLibrary(),
    queue: createSweepQueue(session),
    sweepFields: signal(new Map([['sweep.seed', '1,2,3']])),
    hidden: signal([]),
  };
  stayAwake(session);
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
    const view = session.shown.value;
    if (view?.origin === 'live' && view.records.value.length > 0) page.pace.tick(performance.now());
  });
  effect(() => {
    if (session.activity.value !== 'running') page.pace.restart();
  });
  const followLink = (): void => void readLink(location.hash, page);
  addEventListener('hashchange', followLink);
  followLink();
  void session.connect();
  void showRecording(page, base);
  return page;
}

async function showRecording(page: Page, base: string): Promise<void> {
  page.recording.value = await fetchRecording(base).catch(() => null);
  if (page.recording.value !== null) page.replay.value = startReplay(page.recording.value);
}
