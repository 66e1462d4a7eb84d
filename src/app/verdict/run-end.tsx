/** What one does with a run that has ended: send a picture of it, cite it. */
import { useSignal } from '@preact/signals';
import { standingOf } from '../../run/verdict/ending';
import { presets } from '../../run/config/presets';
import type { RunRecord } from '../../run/record/run-record';
import { encodeLink } from '../../share/link';
import { runName } from '../../share/name';
import { runFingerprint } from '../../share/run-fingerprint';
import { endingWords, verdictsOf } from './ending-words';
import type { Page } from '../page';
import type { RunView } from '../session/run-view';
import { addressWith } from '../link/address-reach';
import { hidesEnding } from '../shell/hiding';
import { Term } from '../words/term';
import { citation, Citation } from './citation';
import { CardView } from './card-view';
import { resultCard } from './result-card';
import { useFound } from '../ui/use-found';

type Shown = 'card' | 'citation' | null;

export interface RunEndProps {
  page: Page;
  view: RunView;
  record: RunRecord;
}

export function RunEnd({ page, view, record }: RunEndProps) {
  const shown = useSignal<Shown>(null);
  const link = useFound(() => linkOf(view), [view]);
  const cited = useFound(() => linkOf(view, runFingerprint(view.records.value) ?? undefined), [view]);
  const isEndingHidden = hidesEnding(page);
  const evaluations = view.evaluations.value;
  // A student whose verdict is hidden has nothing to do here but to hand in.
  if (page.classroom.value !== null && isEndingHidden) return null;
  const standing = standingOf(verdictsOf(evaluations));
  const toggle = (part: Exclude<Shown, null>) => ({
    'aria-expanded': shown.value === part,
    onClick: () => void (shown.value = shown.value === part ? null : part),
  });
  return (
    <section class="panel run-end" aria-label="The run is over">
      {/* Both name the preset. */}
      {isEndingHidden ? null : (
        <div class="actions">
          <button type="button" {...toggle('card')}>
            Result card
          </button>
          <button type="button" {...toggle('citation')}>
            Cite
          </button>
        </div>
      )}
      {page.classroom.value !== null || view.origin === 'recording' ? null : (
        <p class="facts">
          “Another seed”: other questions in practice and other luck, the same test (<Term word="seed" />
          ). What both show is hardly chance.
        </p>
      )}
      {link === null || cited === null || isEndingHidden ? null : shown.value === 'card' ? (
        <CardView
          svg={resultCard(record, evaluations, factsOf(view, record, link))}
          name={`marble-${record.id.slice(0, 8)}`}
          alt={`Result card of ${runName(record.config)}: the figures of the verdict and two curves, all of which this page shows as text.`}
        />
      ) : shown.value === 'citation' ? (
        <Citation text={citation(record, cited, standing === null ? null : endingWords(standing))} />
      ) : null}
    </section>
  );
}

/**
 * With the backend, without which it would not give the same run to the last bit.
 *
 * @param fingerprint - tells whether it did
 */
async function linkOf({ config, backend }: RunView, fingerprint?: string): Promise<string | null> {
  if (!Object.hasOwn(presets, config.preset)) return null;
  const { backend: name, tileCode: tiles } = backend ?? {};
  return addressWith(await encodeLink(config, { backend: name, tiles, fingerprint }));
}

/** What stands at the foot of a card. */
function factsOf({ backend }: RunView, { machine }: RunRecord, link: string): string[] {
  const build = typeof machine.build === 'string' ? `Marble ${machine.build}` : 'Marble';
  return [`${build}${backend === null ? '' : `, computed on ${backend.backend}`}`, link];
}
