/** Sitting down in a class: the seat's run comes into the form, and a link of the same class finds the seat again. */
import type { Signal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import { runOfSeat, seatName } from '../../run/sweep/seats';
import type { Faults, LinkedClass } from '../page/page';
import { browserStorage } from '../page/browser-storage';

/** What sitting down changes. */
export interface SeatedPage {
  draft: Signal<RunConfig>;
  faults: Signal<Faults>;
  /** Set by a class link. */
  classroom: Signal<LinkedClass | null>;
  /** What the student of a class link has typed, and the arm and the run that it gave. */
  seat: Signal<{ name: string; arm: string; config: RunConfig } | null>;
}

const key = 'marble-seat';
/** Where it keeps nothing the page asks again after a reload. */
const storage = browserStorage();

/** @throws MarbleError `app/no-seat` */
export function takeSeat(page: SeatedPage, typed: string): void {
  const room = page.classroom.value;
  if (room === null) return;
  const { config, arm } = runOfSeat(room, typed);
  const name = seatName(typed);
  page.draft.value = config;
  page.faults.value = new Map();
  page.seat.value = { name, arm, config };
  storage.keep(key, JSON.stringify({ room: room.link, name }));
}

export function leaveSeat(page: SeatedPage): void {
  page.seat.value = null;
  storage.keep(key, 'null');
}

/** The seat that was taken here in this class, if one was. */
export function retakeSeat(page: SeatedPage): void {
  try {
    const kept = JSON.parse(storage.read(key) ?? 'null') as {
      room?: unknown;
      name?: unknown;
    } | null;
    const room = page.classroom.value;
    if (room === null || kept?.room !== room.link || typeof kept.name !== 'string') return;
    takeSeat(page, kept.name);
  } catch {
    // Nothing that can be read: one sits down anew.
  }
}
