/** What of the page is hidden, as a teacher's link may want it for a class; anybody may show it again. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { decodeLink, encodeLink } from '../../share/settings-link';
import { hideableParts, type HideablePart } from '../../share/link-extras';
import type { Page } from '../page/page';

const partNames: Record<HideablePart, string> = {
  settings: 'Settings',
  backend: 'Choice of GPU or CPU',
  sweeps: 'Sweeps',
  class: 'Class',
  data: 'Data',
  runs: 'Kept runs',
  verdict: 'Verdict',
  'first-and-now': 'The same question, first and now',
  sampled: 'What the update did',
  ask: 'Ask it yourself',
  evaluation: 'Evaluation table',
  explanations: 'What am I looking at?',
};

/** By its selectors, where a part stands, or what leads to it: the first that is there; of the others the tabs. */
const standsAt: Partial<Record<HideablePart, readonly string[]>> = {
  settings: ['.settings'],
  backend: ['.stage'],
  sweeps: ['nav'],
  class: ['nav'],
  data: ['nav'],
  runs: ['#runs'],
  verdict: ['.verdict-line'],
};

/** The choice is made at the foot of the page, far below most of what it shows. */
function scrollTo(part: HideablePart): void {
  const found = [...(standsAt[part] ?? []), '.tabs'].map((selector) => document.querySelector(selector));
  found
    .find((element) => element !== null)
    ?.scrollIntoView({ block: part === 'verdict' ? 'center' : 'start' });
}

/** Puts the choice into the link that stands in the address, so that a reload does not hide again what was shown. */
async function writeChoice(page: Page): Promise<void> {
  if (location.hash.length < 2) return;
  const hide = [...page.hidden.value];
  const decoded = await decodeLink(location.hash).catch(() => null);
  if (decoded === null) return; // a link that cannot be read stays as it came; a screen says why
  const { config, ignored: _, ...extras } = decoded;
  history.replaceState(history.state, '', await encodeLink(config, { ...extras, hide }));
}

export function HiddenParts({ page }: { page: Page }) {
  const { hidden } = page;
  /** The part that was shown last, until it is scrolled to. */
  const shown = useSignal<HideablePart | null>(null);
  useEffect(() => {
    if (shown.value !== null) scrollTo(shown.value); // it stands there by now
    shown.value = null;
  }, [shown.value]);
  const choose = (parts: readonly HideablePart[]): void => {
    const added = hidden.value.filter((part) => !parts.includes(part));
    shown.value = added.includes('verdict') ? 'verdict' : (added.at(0) ?? null);
    hidden.value = parts;
    void writeChoice(page);
  };
  const count = hidden.value.length;
  return (
    <details class="hidden-parts">
      <summary>
        {count === 0
          ? 'Parts of this page'
          : `${count === 1 ? 'One part' : `${count} parts`} of this page ${count === 1 ? 'is' : 'are'} hidden`}
      </summary>
      <p>
        For a class: untick what is not to be seen yet, then copy the link. It holds the choice, and whoever
        opens it can tick the parts again here.
      </p>
      <PartTicks hidden={hidden.value} onChoose={choose} />
      {count === 0 ? null : (
        <button type="button" onClick={() => choose([])}>
          Show everything
        </button>
      )}
    </details>
  );
}

/** What is ticked is seen. */
export function PartTicks(props: {
  hidden: readonly HideablePart[];
  onChoose: (hidden: readonly HideablePart[]) => void;
}) {
  const { hidden, onChoose } = props;
  return (
    <div class="ticks">
      {hideableParts.map((part) => (
        <label key={part} class="tick">
          <input
            type="checkbox"
            checked={!hidden.includes(part)}
            onChange={({ currentTarget: { checked } }) =>
              onChoose(checked ? hidden.filter((other) => other !== part) : [...hidden, part])
            }
          />{' '}
          {partNames[part]}
        </label>
      ))}
    </div>
  );
}
