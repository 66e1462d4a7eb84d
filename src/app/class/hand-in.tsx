/** The run of a student as the file that goes to the teacher: finished or not, today or after a reload. */
import { useSignal } from '@preact/signals';
import { studentOfNote } from '../../run/sweep/class-note';
import type { RunRecord } from '../../run/record/run-record';
import { saveFile } from '../ui/save-file';
import type { Session } from '../session/session';

/** Name of the file: who, which seed, and how far where the run is not finished. */
export function handInName(student: string, { config, status, step }: RunRecord): string {
  const who = student.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'student';
  return `marble-${who}-seed-${config.seed}${status === 'done' ? '' : `-step-${step}`}.marble`;
}

export function HandIn({ session, run }: { session: Session; run: RunRecord }) {
  const said = useSignal('');
  const student = studentOfNote(run.notes);
  if (student === null) return null;
  const name = handInName(student, run);
  const save = async (): Promise<void> => {
    const file = await session.runFile(run.id);
    if (file === null) return;
    saveFile(name, file);
    said.value = `Saved as ${name}: put it where your teacher said, or send it.`;
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => void save()}>
        Save the file for your teacher
      </button>
      <span role="status" class="said">
        {said}
      </span>
    </>
  );
}
