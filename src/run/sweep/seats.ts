/**
 * Class: one configuration, the axes that distinguish its arms, and a separate seed per student. A seat is a number from 1 to
 * the size of the class. Seat numbers cycle through the arms, which keeps the arms equally large, and students of different
 * arms share seeds.
 */
import { MarbleError } from '../../base/error';
import type { RunConfig } from '../config/config';
import { expandSweep, type SweepAxes, type SweepRun } from './sweep';

export interface Classroom {
  base: RunConfig;
  /** Axes that distinguish the arms. The seat determines the seed. */
  axes: SweepAxes;
  /** Largest valid seat number; the smallest is 1. */
  seats: number;
}

/** For the start of a line: `Seat 7`, or the name that a run of an earlier version may have. */
export const seatTitle = (seat: string): string => (/^\d+$/.test(seat) ? `Seat ${seat}` : seat);

/**
 * @returns the run of a seat
 * @throws MarbleError `app/no-seat`
 */
export function runOfSeat({ base, axes, seats }: Classroom, typed: string): SweepRun {
  const arms = expandSweep(base, { ...axes, seed: undefined });
  const seat = seatName(typed);
  const number = Number(seat);
  if (number < 1 || number > seats) {
    throw noSeat(`There is no seat ${seat}: this class has the numbers 1 to ${seats}.`);
  }
  const place = number - 1;
  const seed = (base.seed + Math.floor(place / arms.length)) % 2 ** 32;
  const run = arms[place % arms.length];
  return { ...run, config: { ...run.config, seed } };
}

/**
 * Number in the typed text, as in the run's record: `7,`, `#7` and `07` are seat 7.
 *
 * @throws MarbleError `app/no-seat`
 */
export function seatName(typed: string): string {
  // NFKC also turns full-width digits into digits.
  const number = /^[^\p{L}\d]*?0*(\d+)[^\p{L}\d]*$/u.exec(typed.normalize('NFKC'));
  if (number === null) throw noSeat('No number was typed.');
  return number[1];
}

const noSeat = (message: string): MarbleError =>
  new MarbleError('app/no-seat', message, 'Type the number that your teacher gave you.');
