/** Sitting down in a class: the seat's run comes into the form, and a reload of the same link finds the seat again. */
import { fnv1a } from '../../run/fnv';
import { runOfSeat, seatName } from '../../run/seats';
import { browserStorage } from '../check/kept-check';
import type { LinkedPage } from '../link';

const key = 'marble-seat';

/** What is kept beside the name: a link of another class has other seats. */
const linkMark = (): string => String(fnv1a(location.hash));

/** @throws MarbleError `app/no-seat` */
export function takeSeat(page: LinkedPage, typed: string): void {
  const room = page.classroom.value;
  if (room === null) return;
  const { config, arm } = runOfSeat(room, typed);
  const name = seatName(typed);
  page.draft.value = config;
  page.faults.value = new Map();
  page.seat.value = { name, arm, config };
  keep(JSON.stringify({ link: linkMark(), name }));
}

export function leaveSeat(page: LinkedPage): void {
  page.seat.value = null;
  keep('null');
}

/** The seat that was taken here under this link, if one was. */
export function retakeSeat(page: LinkedPage): void {
  try {
    const kept = JSON.parse(browserStorage()?.getItem(key) ?? 'null') as {
      link?: unknown;
      name?: unknown;
    } | null;
    if (kept?.link === linkMark() && typeof kept.name === 'string') takeSeat(page, kept.name);
  } catch {
    // Nothing that can be read: one sits down anew.
  }
}

/** A browser that keeps nothing asks again after a reload. */
function keep(text: string): void {
  try {
    browserStorage()?.setItem(key, text);
  } catch {
    // Full or forbidden.
  }
}
