/** What stands below a run that has ended: what another seed would tell, and how to cite it. */
import { standingOf } from '../../run/verdict/ending';
import { presets } from '../../run/config/presets';
import type { RunRecord } from '../../run/record/run-record';
import { encodeLink } from '../../share/link';
import { runFingerprint } from '../../share/run-fingerprint';
import { endingWords, verdictsOf } from './ending-words';
import type { Page } from '../page';
import type { RunView } from '../session/run-view';
import { addressWith } from '../link/address-reach';
import { hidesEnding } from '../shell/hiding';
import { Doc } from '../words/doc-link';
import { Term } from '../words/term';
import { citation, Citation } from './citation';
import { useFound } from '../ui/use-found';

export function RunEnd({ page, view, record }: { page: Page; view: RunView; record: RunRecord }) {
  const link = useFound(() => linkOf(view), [view]);
  const isInClass = page.classroom.value !== null;
  // A student whose verdict is hidden has nothing to do here but to hand in.
  if (isInClass && hidesEnding(page)) return null;
  const standing = standingOf(verdictsOf(view.evaluations.value));
  return (
    <section class="panel run-end" aria-label="The run is over">
      {/* It names the preset, and so the ending. */}
      {link === null || hidesEnding(page) ? null : (
        <details>
          <summary>Cite</summary>
          <Citation text={citation(record, link, standing && endingWords(standing))} />
        </details>
      )}
      {isInClass || view.origin === 'recording' ? null : (
        <p class="facts">
          “Another seed”: other questions in practice and other luck, the same test (<Term word="seed" />
          ). What both show is not the luck of practice; another start can end otherwise (
          <Doc name="results">every run</Doc>
          ).
        </p>
      )}
    </section>
  );
}

/** With the backend and its tiles, without which it would not give the same run to the last bit, and what tells whether it did. */
async function linkOf({ config, backend, records }: RunView): Promise<string | null> {
  if (!Object.hasOwn(presets, config.preset)) return null;
  const { backend: name, tileCode: tiles } = backend ?? {};
  const fingerprint = runFingerprint(records.value) ?? undefined;
  return addressWith(await encodeLink(config, { backend: name, tiles, fingerprint }));
}
