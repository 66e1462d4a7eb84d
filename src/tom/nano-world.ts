/**
 * The nano world and its exact beliefs.
 *
 * Four agents enter a room where one object lies in one of four containers. Each in turn moves the object or stays,
 * then exits; in some stories one of them comes back in for a while. Whoever is in the room sees what happens there.
 *
 * The belief of a chain of agents ("gus thinks that cat thinks …") is the object's place after the last event that
 * all of the chain saw together; the empty chain sees everything, so its belief is reality. Events are the announced
 * start, each act, and each return (who comes in sees where the object is); an exit shows nothing about the object.
 *
 * Left out, on purpose: rooms, telling, noise. A model of 26 k parameters has to read these stories.
 */
import { decidingEvent, type SeenEvent } from './seen-event';

type NanoAct = 'moved' | 'stayed' | 'exited' | 'entered';

/** One line of the story after the announcement; `place` stands with `moved` only. */
export interface NanoLine {
  actor: string;
  act: NanoAct;
  place?: string;
}

/** Plain JSON: all that the story and the question say. */
export interface NanoWorld {
  agents: string[];
  containers: string[];
  object: string;
  start: string;
  lines: NanoLine[];
  /** The asked-about agents, outermost first; empty for the question after reality. */
  chain: string[];
}

/** The events of a world in the order in which they happened; the first is the announced start. */
export function nanoEvents(world: NanoWorld): SeenEvent[] {
  let present = [...world.agents];
  let place = world.start;
  const events: SeenEvent[] = [{ actor: 'start', place, witnesses: present }];
  for (const line of world.lines) {
    if (line.act === 'exited') {
      present = present.filter((agent) => agent !== line.actor);
      continue;
    }
    if (line.act === 'entered') present = [...present, line.actor];
    if (line.place !== undefined) place = line.place;
    events.push({ actor: line.actor, place, witnesses: present });
  }
  return events;
}

/** Where the chain believes the object to be; for the empty chain, where it is. */
export function nanoBelief(world: NanoWorld, chain: readonly string[] = world.chain): string {
  const events = nanoEvents(world);
  return events[decidingEvent(events, chain)].place;
}

/**
 * Two rules that track no belief. `first-event`, which collapsed models sit on: where the object was after the first
 * agent acted, whoever is asked about; right on 48/68/85/100 % of orders 1/2/3/4. `first-leaver`: where it was when the
 * first of those asked about left, which can be read off the story and is right on every plain one: nano stories need no
 * tracking. Questions after reality ask no belief and have neither.
 */
export function nanoShortcuts(world: NanoWorld): Record<string, string> {
  if (world.chain.length === 0) return {};
  const events = nanoEvents(world);
  const exit = world.lines.findIndex(({ act, actor }) => act === 'exited' && world.chain.includes(actor));
  const before = nanoEvents({ ...world, lines: world.lines.slice(0, exit) });
  return { 'first-event': events[1].place, 'first-leaver': before[before.length - 1].place };
}
