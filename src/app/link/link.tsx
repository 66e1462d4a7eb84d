/** Synchronizes the form with the settings in the page's address, and copies a link. */
import { effect, type Signal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import { defaultPreset, presets } from '../../run/config/presets';
import { Tick } from '../ui/choices';
import { CopyButton } from '../ui/copy-button';
import { addressWith } from '../ui/page-address';
import type { Page } from '../page/page';
import type { RunView } from '../session/run-view';
import { holdsSettings, isOwnAddress, replaceAddress } from '../page/place';
import { sameConfig } from '../../run/config/fields';

/** Fills the form from a link. An unreadable link selects the default preset, and a screen shows the error. */
export async function readLink(hash: string, page: Page): Promise<void> {
  if (!holdsSettings(hash)) return;
  try {
    const [{ decodeLink, encodeLink }, { extraFields }] = await Promise.all([
      import('../../share/settings-link'),
      import('../../share/link-extras'),
    ]);
    const { config, sweep, lesson, backend, fingerprint, seats, ignored } = await decodeLink(hash);
    const room =
      seats === undefined
        ? null
        : { base: config, axes: sweep, seats, link: await encodeLink(config, { sweep, seats }) };
    page.session.wish.value = backend ?? 'automatic';
    if (page.session.screen.value?.code.startsWith('share/') === true) page.session.screen.value = null;
    page.faults.value = new Map();
    page.draft.value = config;
    page.sharedLink.value = isOwnAddress() ? null : { config, fingerprint, backend };
    page.isSharedLinkNew.value = true;
    page.session.tellIgnored('link', ignored);
    page.lesson.value = lesson;
    page.seat.value = null;
    page.classroom.value = room;
    if (room !== null) {
      // The seat determines what varies. A seat that was taken before a reload is restored.
      const { retakeSeat } = await import('../class/seat');
      retakeSeat(page);
      return;
    }
    const sweepFields = extraFields({ sweep });
    if (sweepFields.size > 0) {
      page.sweepFields.value = sweepFields;
      if (page.places.place.value.name !== 'sweeps') page.places.go({ name: 'sweeps' });
    }
  } catch (thrown) {
    page.draft.value = presets[defaultPreset];
    page.classroom.value = null;
    page.sharedLink.value = null;
    page.session.screen.value = toErrorReport(thrown);
  }
}

/** Debounce in milliseconds: dragging a slider writes the address once. */
const settleTime = 300;

/**
 * Writes the form into the address, debounced. A reload, a bookmark or a copied address then holds the current
 * settings. A received link keeps its fingerprint and its seats until a setting changes.
 */
export function followForm(page: Page): void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    void [page.draft.value, page.session.wish.value];
    clearTimeout(waiting);
    waiting = setTimeout(() => void write(page), settleTime);
  });
  addEventListener('hashchange', () => {
    // Only the page's own history entries have a state. Returning to one of them keeps the form.
    if (history.state !== null) void write(page);
    else void readLink(location.hash, page);
  });
}

/** The settings of the form, with the backend that is chosen. */
function ofForm({ draft, session }: Pick<Page, 'draft' | 'session'>) {
  const wish = session.wish.value;
  return { config: draft.value, backend: wish === 'automatic' ? undefined : wish };
}

async function write(page: Page): Promise<void> {
  const { config, backend } = ofForm(page);
  const came = page.sharedLink.value ?? { config: presets[defaultPreset], backend: undefined };
  if (page.places.place.value.name === 'ladder' || page.classroom.value !== null) return;
  if (!isOwnAddress() && sameConfig(config, came.config) && backend === came.backend) return;
  const { encodeLink } = await import('../../share/settings-link');
  // No link holds a run whose model this version lacks.
  const hash = await encodeLink(config, { lesson: page.lesson.value, backend }).catch(() => null);
  if (hash !== null && page.draft.value === config) replaceAddress(hash);
}

/** The parts of a link to a run: its configuration, its backend and its fingerprint. */
export async function linkedOf({ allRecords }: Pick<Page['session'], 'allRecords'>, view: RunView) {
  const { runFingerprint } = await import('../../share/run-fingerprint');
  const fingerprint = runFingerprint((await allRecords(view)) ?? []) ?? undefined;
  return { config: view.config, backend: view.backend?.backend, fingerprint };
}

type Shown = Pick<Page, 'places' | 'session' | 'classroom' | 'draft' | 'sweepFields' | 'lesson'>;

/** Link to what the page shows. */
export async function linkOf(page: Shown): Promise<string> {
  const { session } = page;
  const { name: place } = page.places.place.value;
  if (place === 'ladder') return location.hash;
  const [{ encodeLink }, { extrasFrom }] = await Promise.all([
    import('../../share/settings-link'),
    import('../../share/link-extras'),
  ]);
  const lesson = page.lesson.value;
  const room = place === 'run' ? page.classroom.value : null;
  if (room !== null) return encodeLink(room.base, { sweep: room.axes, seats: room.seats, lesson });
  // Only the page of sweeps puts its sweep into the link.
  const sweep = place === 'sweeps' ? extrasFrom(page.sweepFields.value).sweep : {};
  const view = place === 'run' ? session.shown.value : null;
  const { config, ...extras } = view === null ? ofForm(page) : await linkedOf(session, view);
  return encodeLink(config, { sweep, lesson, ...extras });
}

export function CopyLink(page: Shown) {
  const { session, classroom, draft, sweepFields, lesson } = page;
  const place = page.places.place.value;
  const isOfClass = place.name === 'run' && classroom.value !== null;
  const what = isOfClass ? 'this class, in which everybody takes a seat' : 'settings and seed';
  return (
    <div class="copy-link small">
      <CopyButton
        words="Copy link"
        what="Link to these settings"
        copied={`Copied: ${place.name === 'sweeps' ? 'this sweep' : what}, no data.`}
        text={async () => addressWith(await linkOf(page))}
        by={[place, ...[session.shown, draft, sweepFields, lesson, session.wish].map(({ value }) => value)]}
      />
    </div>
  );
}

/** Switch at the foot of the page. A class link sets it; a visitor may change it. A reload finds it in the address. */
export function LessonSwitch({ lesson }: { lesson: Signal<boolean> }) {
  const set = async (isOn: boolean): Promise<void> => {
    lesson.value = isOn;
    if (!holdsSettings(location.hash)) return;
    const { decodeLink, encodeLink } = await import('../../share/settings-link');
    const decoded = await decodeLink(location.hash).catch(() => null);
    if (decoded === null) return; // an unreadable link stays, and a screen shows the error
    const { config, ignored: _, ...extras } = decoded;
    const hash = await encodeLink(config, { ...extras, lesson: isOn });
    if (isOwnAddress()) replaceAddress(hash);
    else history.replaceState(history.state, '', hash);
  };
  return (
    <Tick checked={lesson.value} onChange={(isOn) => void set(isOn)}>
      Lesson: hides the verdict until the run has ended, and the settings
    </Tick>
  );
}
