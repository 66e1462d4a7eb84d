/**
 * Class: one configuration, the axes that distinguish its arms, and a separate seed per student. A seat is a number (1 to
 * the size of the class) or a name. Seat numbers cycle through the arms, which keeps the arms equally large, and students of
 * different arms share seeds. The hash of a name determines arm and seed, which avoids assigning numbers.
 */
import { MarbleError } from '../../base/error';
import type { RunConfig } from '../config/config';
import { fnv1a } from '../../base/digest';
import { expandSweep, type SweepAxes, type SweepRun } from './sweep';

export interface Classroom {
  base: RunConfig;
  /** Axes that distinguish the arms. The seat determines the seed. */
  axes: SweepAxes;
  /** Largest valid seat number; the smallest is 1. */
  seats: number;
}

/** True for a seat number, false for a name. */
export const isSeatNumber = (seat: string): boolean => /^\d+$/.test(seat);

/** For the start of a line: `Seat 7`, or the name. */
export const seatTitle = (seat: string): string => (isSeatNumber(seat) ? `Seat ${seat}` : seat);

const longestName = 40;
/** Seeds of names have seven digits: larger than those of seat numbers, and short enough to read aloud. */
const namedSeeds = 1_000_000;

/**
 * @param typed - seat number or name; case and surrounding space are ignored
 * @returns the run of that seat, a pure function of the text
 * @throws MarbleError `app/no-seat`
 */
export function runOfSeat({ base, axes, seats }: Classroom, typed: string): SweepRun {
  const arms = expandSweep(base, { ...axes, seed: undefined });
  const seat = seatName(typed);
  const isNothing = !isSeatNumber(seat) && !/\p{L}/u.test(seat);
  if (isNothing || seat.length > longestName) {
    throw noSeat(
      isNothing ? 'Neither a number nor a name was typed.' : `A name has at most ${longestName} characters.`,
    );
  }
  if (!isSeatNumber(seat)) {
    const hash = fnv1a(seat.toLowerCase());
    return withSeed(arms[hash % arms.length], namedSeeds + (hash % namedSeeds));
  }
  const number = Number(seat);
  if (number < 1 || number > seats) {
    throw noSeat(`There is no seat ${seat}: this class has the numbers 1 to ${seats}.`);
  }
  const place = number - 1;
  const seed = (base.seed + Math.floor(place / arms.length)) % 2 ** 32;
  return withSeed(arms[place % arms.length], seed);
}

/** Normalises the typed text for the run's record: `7,`, `#7` and `07` are seat 7. */
export function seatName(typed: string): string {
  const name = typed.normalize('NFC').trim().replace(/\s+/g, ' ');
  const number = /^[^\p{L}\d]*?0*(\d+)[^\p{L}\d]*$/u.exec(name);
  return number === null ? name : number[1];
}

const noSeat = (message: string): MarbleError =>
  new MarbleError('app/no-seat', message, 'Type the number that your teacher gave you, or your name.');

function withSeed(run: SweepRun, seed: number): SweepRun {
  return { ...run, config: { ...run.config, seed } };
}
