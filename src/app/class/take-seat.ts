/** Sitting down in a class: the seat's run comes into the form, and a link of the same class finds the seat again. */
import { runOfSeat, seatName } from '../../run/sweep/seats';
import type { FormStore } from '../page/form-store';
import { browserStorage } from '../page/browser-storage';

/** What sitting down changes. */
export type Seated = Pick<FormStore, 'draft' | 'faults' | 'classroom' | 'seat'>;

const key = 'marble-seat';
/** Where it keeps nothing the page asks again after a reload. */
const storage = browserStorage();

/** @throws MarbleError `app/no-seat` */
export function takeSeat(form: Seated, typed: string): void {
  const room = form.classroom.value;
  if (room === null) return;
  const { config, arm } = runOfSeat(room, typed);
  const name = seatName(typed);
  form.draft.value = config;
  form.faults.value = new Map();
  form.seat.value = { name, arm, config };
  storage.keep(key, JSON.stringify({ room: room.link, name }));
}

export function leaveSeat(form: Seated): void {
  form.seat.value = null;
  storage.keep(key, 'null');
}

/** The seat that was taken here in this class, if one was. */
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
    // Nothing that can be read: one sits down anew.
  }
}
