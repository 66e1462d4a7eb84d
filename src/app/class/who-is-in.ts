/** Words for the students of a class: who sent a run, and who is missing. */
import { isSeatNumber } from '../../run/sweep/seats';
import { rangesOf } from '../ui/numbers';
import { missingSeats, type ClassRun } from './read-runs';

/** Longer lists of names are replaced by their count. */
const mostNames = 5;

const namesWords = (names: readonly string[]): string =>
  names.length > mostNames ? `${names.length} students` : names.join(', ');

/** `seats 5, 8 and Zoë Müller`, without duplicates. */
export function studentsWords(students: readonly string[]): string {
  const own = [...new Set(students)];
  const numbers = own.filter(isSeatNumber).map(Number);
  const names = own.filter((student) => !isSeatNumber(student));
  const parts = [
    numbers.length === 0
      ? ''
      : `seat${numbers.length === 1 ? '' : 's'} ${rangesOf(numbers.toSorted((a, b) => a - b))}`,
    namesWords(names),
  ];
  return parts.filter((part) => part !== '').join(' and ');
}

type Row = ClassRun & { others: string };

/**
 * `2 of 25 are in, and 1 by name (Zoë Müller). Missing: 1, 2, 4 to 6, 8 to 25.` A student whose only run has other
 * settings than the seat's does not count as in.
 *
 * @param seats - number of seats given out; NaN if unknown
 */
export function whoIsInWords(rows: readonly Row[], seats: number): string {
  const own = rows.filter(({ others }) => others === '');
  const isIn = new Set(own.map(({ student }) => student));
  const others = rows.map(({ student }) => student).filter((student) => !isIn.has(student));
  const names = [
    ...new Set(
      own.flatMap(({ student, history }) =>
        isSeatNumber(student) || history.record.class === undefined ? [] : [student],
      ),
    ),
  ];
  const named = names.length > mostNames ? '' : ` (${namesWords(names)})`;
  const byName = names.length === 0 ? '' : `${names.length} by name${named}`;
  const missing = missingSeats(own, seats);
  return [
    ...(missing === null ? (byName === '' ? [] : [`In: ${byName}.`]) : seatsWords(missing, seats, byName)),
    ...(others.length === 0 ? [] : [`With other settings, and so not in: ${studentsWords(others)}.`]),
  ].join(' ');
}

function seatsWords(missing: readonly number[], seats: number, byName: string): string[] {
  const came = missing.length === 0 ? `All ${seats}` : `${seats - missing.length} of ${seats}`;
  const sentence = `${came} are in${byName === '' ? '' : `, and ${byName}`}.`;
  return missing.length === 0 ? [sentence] : [sentence, `Missing: ${rangesOf(missing)}.`];
}
