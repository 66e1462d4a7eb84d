import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { leaveSeat, retakeSeat, takeSeat, type Seated } from '../../../src/app/class/seat';
import { presets } from '../../../src/run/config/presets';
import type { Classroom } from '../../../src/run/sweep/seats';
import { decodeLink, encodeLink } from '../../../src/share/settings-link';

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
  vi.stubGlobal('location', { hash: '', href: 'https://example.org/' });
});
afterEach(() => vi.unstubAllGlobals());

const base = presets['swap-shortcut'];
const usual = { seats: 25, sweep: { dropShortcutRight: [0, 0.9] } };

/** The page as the link of a class opens it. */
async function opened(
  config = base,
  extras: { seats: number; sweep: Classroom['axes']; lesson?: boolean } = usual,
): Promise<Seated> {
  const hash = await encodeLink(config, extras);
  location.hash = hash;
  const { config: read, sweep, seats } = await decodeLink(hash);
  const link = await encodeLink(read, { sweep, seats });
  const room = { base: read, axes: sweep, seats: seats!, link };
  return { draft: signal(read), faults: signal(new Map()), classroom: signal(room), seat: signal(null) };
}

it('a seat is found again by every link of its class, as a lesson or not, and by no link of another one', async () => {
  takeSeat(await opened(base, { ...usual, lesson: true }), '7,');
  for (const lesson of [true, false]) {
    const page = await opened(base, { ...usual, lesson });
    retakeSeat(page);
    expect(page.seat.value?.name).toBe('7');
    expect(page.draft.value).toEqual(page.seat.value?.config);
  }
  for (const other of [
    await opened({ ...base, steps: base.steps + 1 }),
    await opened(base, { ...usual, seats: 26 }),
    await opened(base, { ...usual, sweep: { dropShortcutRight: [0, 0.8] } }),
  ]) {
    retakeSeat(other);
    expect(other.seat.value).toBeNull();
  }
  const page = await opened();
  page.faults.value = new Map([['steps', { message: 'It is too many.' }]]);
  retakeSeat(page);
  expect([page.seat.value?.name, page.faults.value.size]).toEqual(['7', 0]);
  leaveSeat(page);
  expect(page.seat.value).toBeNull();
  retakeSeat(page);
  expect(page.seat.value).toBeNull();
  // A damaged seat must not refuse the link of the class.
  localStorage.setItem('marble-seat', `99 ${page.classroom.value!.link}`);
  retakeSeat(page);
  expect(page.seat.value).toBeNull();
});
