/** Button that copies a text. Where the browser does not let the page copy, a field shows the text. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { toErrorReport } from '../../base/error';

/** @param props.what - name of the text */
export function CopyButton(props: {
  words: string;
  what: string;
  copied: string;
  isPrimary?: boolean;
  disabled?: boolean;
  /** Null for a text that could not be read; the page then shows why. */
  text: () => string | Promise<string | null>;
  /** A change clears the message, which no longer matches the page. */
  by?: readonly unknown[];
}) {
  const { words, what, copied, isPrimary = false, disabled = false, text, by = [] } = props;
  const said = useSignal('');
  const shown = useSignal<string | null>(null);
  useEffect(() => {
    said.value = '';
    shown.value = null;
  }, by);
  const copy = async (): Promise<void> => {
    try {
      const found = await text();
      if (found === null) return;
      try {
        await navigator.clipboard.writeText(found);
        [shown.value, said.value] = [null, copied];
      } catch {
        [shown.value, said.value] = [found, 'Copy this text.'];
      }
    } catch (thrown) {
      const { message, nextStep } = toErrorReport(thrown);
      said.value = `${message} ${nextStep}`;
    }
  };
  return (
    <>
      <button class={isPrimary ? 'primary' : ''} disabled={disabled} onClick={() => void copy()}>
        {words}
      </button>
      <span class="said" role="status">
        {said}
      </span>
      {shown.value === null ? null : (
        <textarea class="said" readOnly rows={2} aria-label={what} value={shown.value} />
      )}
    </>
  );
}
