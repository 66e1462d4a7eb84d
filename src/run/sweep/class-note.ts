/** First line of a class run's note, which identifies the student: `Class: 12`. */

const mark = /^Class: *(\S.*)$/;

export function classNote(student: string): string {
  return `Class: ${student}`;
}

/** @returns the student's seat or name; null for a run outside a class */
export function studentOfNote(note: string): string | null {
  return mark.exec(note.split('\n')[0])?.[1].trim() ?? null;
}

/** True for a seat number, false for a name. */
export const isSeatNumber = (student: string): boolean => /^\d+$/.test(student);

/** Formats the student as `seat 7`, or as the name. */
export function studentWords(student: string): string {
  return isSeatNumber(student) ? `seat ${student}` : student;
}
