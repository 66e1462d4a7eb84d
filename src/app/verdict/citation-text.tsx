/** An entry of BibTeX to look at and to copy. */
import { useSignal } from '@preact/signals';
import { reachWords } from '../link/address-reach';

export function Citation({ text }: { text: string }) {
  const said = useSignal('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = `Copied.${reachWords()}`;
    } catch {
      said.value = `Copy the text by hand.${reachWords()}`;
    }
  };
  return (
    <div class="citation">
      <pre tabIndex={0} aria-label="Entry for BibTeX">
        {text}
      </pre>
      <div class="actions on-screen">
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <span role="status">{said}</span>
      </div>
    </div>
  );
}
