/** What of the page is hidden, as a teacher's link may want it for a class; anybody may show it again. */
import type { Signal } from '@preact/signals';
import { hideableParts, type HideablePart } from '../share/link-extras';

export const partNames: Record<HideablePart, string> = {
  settings: 'Settings',
  backend: 'Choice of GPU or CPU',
  sweeps: 'Sweeps',
  class: 'Class',
  data: 'Data',
  runs: 'Kept runs',
  collapse: 'Verdict',
  'first-and-now': 'The same question, first and now',
  sampled: 'What the update did',
  ask: 'Ask it yourself',
  evaluation: 'Evaluation table',
  explanations: 'What am I looking at?',
};

export function HiddenParts({ hidden }: { hidden: Signal<readonly HideablePart[]> }) {
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
      <div class="ticks">
        {hideableParts.map((part) => (
          <label key={part} class="tick">
            <input
              type="checkbox"
              checked={!hidden.value.includes(part)}
              onChange={(event) => {
                const rest = hidden.value.filter((other) => other !== part);
                hidden.value = event.currentTarget.checked ? rest : [...rest, part];
              }}
            />{' '}
            {partNames[part]}
          </label>
        ))}
      </div>
      {count === 0 ? null : (
        <button type="button" onClick={() => (hidden.value = [])}>
          Show everything
        </button>
      )}
    </details>
  );
}
