/** What stands below a run that has ended: how to cite it. */
import { standingOf } from '../../run/verdict/ending';
import { presetOf } from '../../run/config/presets';
import type { RunRecord } from '../../run/record/run-record';
import { encodeLink } from '../../share/settings-link';
import { offeredBackend } from '../../../workers/protocol';
import { runFingerprint } from '../../share/run-fingerprint';
import { endingWords } from '../words/ending-words';
import type { Page } from '../page/page';
import type { RunView } from '../session/run-view';
import { addressWith } from '../ui/address-reach';
import { hidesEnding } from '../page/hiding';
import { citation, Citation } from '../report/citation';
import { useFound } from '../ui/use-found';

export function RunEnd({ page, view, record }: { page: Page; view: RunView; record: RunRecord }) {
  const link = useFound(() => linkOf(view), [view]);
  // It names the preset, and so the ending.
  if (link === null || hidesEnding(page)) return null;
  const standing = standingOf(view.evaluations.value);
  return (
    <details>
      <summary>Cite</summary>
      <Citation text={citation(record, link, standing && endingWords(standing))} />
    </details>
  );
}

/** With the backend, without which it would not give the same run to the last bit, and what tells whether it did. */
async function linkOf({ config, backend, records }: RunView): Promise<string | null> {
  if (presetOf(config) === null) return null;
  const fingerprint = runFingerprint(records.value) ?? undefined;
  return addressWith(await encodeLink(config, { backend: offeredBackend(backend?.backend), fingerprint }));
}
