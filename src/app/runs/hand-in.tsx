/** Buttons that export a student's run for the teacher, finished or not. */
import { useSignal } from '@preact/signals';
import type { RunRecord } from '../../run/record/run-record';
import { saveRun } from './run-files';
import type { Session } from '../session/session';
import { copyText } from '../ui/copy-text';

export function HandIn({ session, run }: { session: Session; run: RunRecord }) {
  const said = useSignal('');
  /** Shown where the browser does not let the page copy it. */
  const code = useSignal<string | null>(null);
  const save = async (): Promise<void> => {
    const name = await saveRun(session, run.id, 'run.marble');
    if (name !== null) said.value = `Saved as ${name}. Send it by mail or chat, as your teacher said.`;
  };
  /** Copies only the result, for a visitor who cannot send a file. */
  const copy = async (): Promise<void> => {
    const [{ resultCode }, kept] = await Promise.all([
      import('../../share/result-code'),
      session.history(run.id),
    ]);
    if (kept === null) return;
    const text = await resultCode(kept);
    const isCopied = await copyText(text);
    code.value = isCopied ? null : text;
    said.value = `${isCopied ? 'Copied.' : 'Copy this code.'} Send it by mail or chat, as your teacher said.`;
  };
  return (
    <>
      <button class="primary" onClick={() => void save()}>
        Save the file for your teacher
      </button>
      <button onClick={() => void copy().catch(session.tell)}>Copy the result code</button>
      <span class="said row small">
        {code.value === null ? null : (
          <textarea readOnly rows={2} aria-label="Result code" value={code.value} />
        )}
        <span role="status">{said}</span>
      </span>
    </>
  );
}
