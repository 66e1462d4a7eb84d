/** Buttons that export a student's run for the teacher, finished or not. */
import { useSignal } from '@preact/signals';
import type { RunRecord } from '../../run/record/run-record';
import { saveRun } from './run-files';
import type { Session } from '../session/session';
import { CopyButton } from '../ui/copy-button';

const sendWords = 'Send it by mail or chat, as your teacher said.';

export function HandIn({ session, run }: { session: Session; run: RunRecord }) {
  const said = useSignal('');
  const save = async (): Promise<void> => {
    const name = await saveRun(session, run.id, 'run.marble');
    if (name !== null) said.value = `Saved as ${name}. ${sendWords}`;
  };
  /** The result alone, for a visitor who cannot send a file. */
  const code = async (): Promise<string | null> => {
    const [{ resultCode }, kept] = await Promise.all([
      import('../../share/result-code'),
      session.history(run.id),
    ]);
    return kept && resultCode(kept);
  };
  return (
    <>
      <button class="primary" onClick={() => void save()}>
        Save the file for your teacher
      </button>
      <CopyButton
        words="Copy the result code"
        what="Result code"
        copied={`Copied. ${sendWords}`}
        text={code}
      />
      <span class="said" role="status">
        {said}
      </span>
    </>
  );
}
