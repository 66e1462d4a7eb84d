/**
 * The page's address follows the form: a reload, a bookmark and an address that is copied by hand hold what is set. A
 * link stays as it came, with its fingerprint and its seats, until somebody changes a setting.
 */
import { defaultPreset, presets } from '../../run/presets';
import { sameConfig } from '../settings/draft';
import { readLink, type LinkedPage } from './link';
import { isOwnAddress, replaceAddress } from '../shell/place';

/** In milliseconds: the moves of a slider are not written one by one. */
const settleTime = 300;

export function followForm(page: LinkedPage): void {
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

async function write(page: LinkedPage): Promise<void> {
  const config = page.draft.value;
  const came = page.sent.value?.config ?? presets[defaultPreset];
  if (page.classroom.value !== null || !Object.hasOwn(presets, config.preset)) return;
  if (!isOwnAddress() && sameConfig(config, came)) return;
  const { encodeLink } = await import('../../share/link');
  const wish = page.session.wish.value;
  const hash = await encodeLink(config, presets, {
    hide: [...page.hidden.value],
    backend: wish === 'automatic' ? undefined : wish,
  });
  if (page.draft.value === config) replaceAddress(hash);
}
