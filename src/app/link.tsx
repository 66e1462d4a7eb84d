/** The run's settings in the page's address: read when the page opens, and copied by a button. */
import { useSignal, type Signal } from '@preact/signals';
import { toErrorReport } from '../error';
import type { RunConfig } from '../rl/config';
import { defaultPreset, presets } from '../rl/presets';
import type { Page } from './app';

/** Fills the form from the link. A link that cannot be read leaves the default, and a screen says why. */
export async function readLink(hash: string, page: Page): Promise<void> {
  if (hash.length < 2) return;
  try {
    const { decodeLink } = await import('../share/link');
    const { config, ignored } = await decodeLink(hash);
    if (page.session.screen.value?.code.startsWith('share/') === true) page.session.screen.value = null;
    page.faults.value = new Map();
    page.draft.value = config;
    page.ignored.value = ignored;
  } catch (thrown) {
    page.draft.value = presets[defaultPreset];
    page.session.screen.value = toErrorReport(thrown);
  }
}

export function CopyLink({ draft }: { draft: Signal<RunConfig> }) {
  const said = useSignal('');
  const address = useSignal<string | null>(null);
  const copy = async (): Promise<void> => {
    const link = new URL(location.href);
    const { encodeLink } = await import('../share/link');
    link.hash = await encodeLink(draft.value);
    try {
      await navigator.clipboard.writeText(link.href);
      said.value = 'Copied: it holds these settings and the seed, no data.';
    } catch {
      // Not allowed here: the visitor copies by hand.
      address.value = link.href;
      said.value = 'Copy this address:';
    }
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
