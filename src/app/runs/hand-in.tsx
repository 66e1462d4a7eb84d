/** Buttons that export a student's run for the teacher, finished or not. */
import type { RunRecord } from '../../run/record/run-record';
import { saveRun } from './run-files';
import type { Session } from '../session/session';
import { CopyButton } from '../ui/copy-button';

export function HandIn({ session, run }: { session: Session; run: RunRecord }) {
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
      <button class="primary" onClick={() => void saveRun(session, run.id, 'run.marble')}>
        Save the file for your teacher
      </button>
      <CopyButton words="Copy the result code" what="Result code" copied="Copied." text={code} />
      <small>Send it as your teacher said.</small>
    </>
  );
}
