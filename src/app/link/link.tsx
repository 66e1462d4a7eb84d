/** The run's settings in the page's address: read when the page opens, kept up with the form, and copied by a button. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { toErrorReport } from '../../base/error';
import { defaultPreset, presetOf, presets } from '../../run/config/presets';
import type { LinkExtras } from '../../share/link-extras';
import { offeredBackend } from '../../../workers/protocol';
import { reachWords } from '../ui/address-reach';
import { copyText } from '../ui/copy-text';
import type { Page } from '../page/page';
import { holdsSettings, isOwnAddress, replaceAddress } from '../page/place';
import { sameConfig } from '../../run/config/fields';

/** Fills the form from the link. A link that cannot be read leaves the default, and a screen says why. */
export async function readLink(hash: string, page: Page): Promise<void> {
  if (!holdsSettings(hash)) return;
  try {
    const [{ decodeLink }, { extraFields }] = await Promise.all([
      import('../../share/settings-link'),
      import('../../share/link-extras'),
    ]);
    const { config, sweep, hide, backend, fingerprint, seats, ignored } = await decodeLink(hash);
    page.session.wish.value = backend ?? 'automatic';
    if (page.session.screen.value?.code.startsWith('share/') === true) page.session.screen.value = null;
    page.faults.value = new Map();
    page.draft.value = config;
    page.sharedLink.value = isOwnAddress()
      ? null
      : { config, fingerprint: fingerprint ?? null, backend: backend ?? null };
    page.isSharedLinkNew.value = true;
    page.ignored.value = ignored;
    page.hidden.value = hide;
    page.seat.value = null;
    page.classroom.value = seats === undefined ? null : { base: config, axes: sweep, seats };
    if (seats !== undefined) {
      // What varies is the seat's, and who sat here before a reload sits here still.
      const { retakeSeat } = await import('../class/take-seat');
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
    page.session.screen.value = toErrorReport(thrown);
  }
}

/** In milliseconds: the moves of a slider are not written one by one. */
const settleTime = 300;

/**
 * The address follows the form: a reload, a bookmark and an address that is copied by hand hold what is set. A link stays
 * as it came, with its fingerprint and its seats, until somebody changes a setting.
 */
export function followForm(page: Page): void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  page.draft.subscribe(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void write(page), settleTime);
  });
  addEventListener('hashchange', () => {
    // The page has marked all of its own entries: this is the way back to one of them, and the form stays as it is.
    if (history.state !== null) void write(page);
    else void readLink(location.hash, page);
  });
}

async function write(page: Page): Promise<void> {
  const config = page.draft.value;
  const came = page.sharedLink.value?.config ?? presets[defaultPreset];
  if (page.places.place.value.name === 'ladder') return;
  if (page.classroom.value !== null || presetOf(config) === null) return;
  if (!isOwnAddress() && sameConfig(config, came)) return;
  const { encodeLink } = await import('../../share/settings-link');
  const wish = page.session.wish.value;
  const hash = await encodeLink(config, {
    hide: [...page.hidden.value],
    backend: wish === 'automatic' ? undefined : wish,
  });
  if (page.draft.value === config) replaceAddress(hash);
}

/** The one that the run on show computes on, else the one that the visitor has chosen; a sweep chooses for each run. */
function linkedBackend({ session }: Page): LinkExtras['backend'] {
  const ran = session.shown.value?.backend?.backend;
  const wish = session.wish.value;
  return ran === undefined ? (wish === 'automatic' ? undefined : wish) : offeredBackend(ran);
}

/** The run on show in hashes, where the form still holds its settings. */
async function linkedRun({ session, draft }: Page): Promise<Pick<LinkExtras, 'fingerprint'>> {
  const view = session.shown.value;
  if (view === null || !sameConfig(draft.value, view.config)) return {};
  const { runFingerprint } = await import('../../share/run-fingerprint');
  return { fingerprint: runFingerprint(view.records.value) ?? undefined };
}

export function CopyLink({ page }: { page: Page }) {
  const said = useSignal('');
  const address = useSignal<string | null>(null);
  // What was copied is no longer what stands here.
  useEffect(() => {
    said.value = '';
    address.value = null;
  }, [page.places.place.value, page.draft.value, page.sweepFields.value, page.hidden.value]);
  const copy = async (): Promise<void> => {
    const link = new URL(location.href);
    const [{ encodeLink }, { extrasFrom }] = await Promise.all([
      import('../../share/settings-link'),
      import('../../share/link-extras'),
    ]);
    // A sweep goes along from its own place only.
    const { name: place } = page.places.place.value;
    const isSweep = place === 'sweeps';
    const isLadder = place === 'ladder';
    try {
      const { sweep } = extrasFrom(isSweep ? page.sweepFields.value : new Map<string, string>());
      // whoever is sent it guesses for themselves
      if (isLadder) link.hash = `ladder=${new URLSearchParams(link.hash.slice(1)).get('ladder')}`;
      else
        link.hash = await encodeLink(page.draft.value, {
          sweep,
          hide: [...page.hidden.value],
          backend: linkedBackend(page),
          ...(isSweep ? {} : await linkedRun(page)),
        });
    } catch (thrown) {
      said.value = toErrorReport(thrown).message;
      return;
    }
    const isCopied = await copyText(link.href);
    if (!isCopied) address.value = link.href;
    const held = isSweep ? 'this sweep and its settings' : 'these settings and the seed';
    said.value = `${isCopied ? `Copied: it holds ${held}, no data.` : 'Copy this address.'}${reachWords()}`;
  };
  return (
    <div class="copy-link">
      <span role="status">{said}</span>
      {address.value === null ? null : (
        <input type="text" readOnly aria-label="Link to these settings" value={address.value} />
      )}
      <button type="button" onClick={() => void copy()}>
        Copy link
      </button>
    </div>
  );
}
