/** Whose run of a class one is. */
import { studentOfNote } from '../../run/sweep/class-note';
import type { Page } from './page';

/**
 * @param id - of a kept run, or of one that was opened from the results of a class
 * @returns the student's seat or name; null where the run is none of a class
 */
export function seatOf({ session, ofClass }: Page, id: string | null): string | null {
  const opened = ofClass.value;
  if (opened !== null && opened.id === id) return opened.student;
  const kept = session.runOf(id);
  return kept === undefined ? null : studentOfNote(kept.notes);
}
