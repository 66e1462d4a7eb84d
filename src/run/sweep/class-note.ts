/** The note by which a run of a class says whose it is: `Class: 12`, in its first line. */

const mark = /^Class: *(\S.*)$/;

export function classNote(student: string): string {
  return `Class: ${student}`;
}

/** @returns the seat or the name of the student; null for a run of no class */
export function studentOfNote(note: string): string | null {
  return mark.exec(note.split('\n')[0])?.[1].trim() ?? null;
}

/** Whether a student sits by a number, and not by name. */
export const isSeatNumber = (student: string): boolean => /^\d+$/.test(student);

/** `seat 7`, or the name. */
export function studentWords(student: string): string {
  return isSeatNumber(student) ? `seat ${student}` : student;
}
