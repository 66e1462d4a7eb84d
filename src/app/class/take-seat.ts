/** Takes a seat of a class: its settings fill the form, and a reload of the same class link restores it. */
import { runOfSeat, seatName } from '../../run/sweep/seats';
import type { FormStore } from '../page/form-store';
import { browserStorage } from '../page/browser-storage';

export type Seated = Pick<FormStore, 'draft' | 'faults' | 'classroom' | 'seat'>;

const key = 'marble-seat';
/** If storage is unavailable, the page asks for the seat again after a reload. */
const storage = browserStorage();

/** @throws MarbleError `app/no-seat` if the typed text is no valid seat */
export function takeSeat(form: Seated, typed: string): void {
  const room = form.classroom.value;
  if (room === null) return;
  const { config, values } = runOfSeat(room, typed);
  const name = seatName(typed);
  form.draft.value = config;
  form.faults.value = new Map();
  form.seat.value = { name, values, config };
  storage.keep(key, JSON.stringify({ room: room.link, name }));
}

export function leaveSeat(form: Seated): void {
  form.seat.value = null;
  storage.keep(key, 'null');
}

/** Restores the seat that was last taken in this class, if any. */
export function retakeSeat(form: Seated): void {
  try {
    const kept = JSON.parse(storage.read(key) ?? 'null') as {
      room?: unknown;
      name?: unknown;
    } | null;
    const room = form.classroom.value;
    if (room === null || kept?.room !== room.link || typeof kept.name !== 'string') return;
    takeSeat(form, kept.name);
  } catch {
    // An unreadable record counts as none: the page asks for the seat.
  }
}
