/** Button that copies a text. Where the browser does not let the page copy, a field shows the text. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { toErrorReport } from '../../base/error';

/** Text is shown only if it could not be copied. */
const none: { said: string; text?: string } = { said: '' };

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
  const result = useSignal(none);
  useEffect(() => void (result.value = none), by);
  const copy = async (): Promise<void> => {
    try {
      const found = await text();
      if (found === null) return;
      try {
        await navigator.clipboard.writeText(found);
        result.value = { said: copied };
      } catch {
        result.value = { said: 'Copy this text.', text: found };
      }
    } catch (thrown) {
      const { message, nextStep } = toErrorReport(thrown);
      result.value = { said: `${message} ${nextStep}` };
    }
  };
  return (
    <>
      <button class={isPrimary ? 'primary' : ''} disabled={disabled} onClick={() => void copy()}>
        {words}
      </button>
      <span class="said" role="status">
        {result.value.said}
      </span>
      {result.value.text === undefined ? null : (
        <textarea class="said" readOnly rows={2} aria-label={what} value={result.value.text} />
      )}
    </>
  );
}
