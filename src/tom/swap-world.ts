/**
 * The swap world and its exact beliefs.
 *
 * Four agents enter a room with five places; one object lies in one of them. In each event somebody who is present swaps
 * the contents of two places, so where the object is must be computed event by event. Three of the four leave, each
 * after another event; in some stories one of them comes back for one event. Whoever is in the room sees every swap.
 *
 * The belief of a chain of agents ("ann thinks that cat thinks …") is the object's place after the last event that all of
 * the chain saw together; the empty chain sees everything, so its belief is reality. Events are the announced start, each
 * swap, and each return (who comes in sees where the object is); an exit shows nothing about the object.
 *
 * The dial rho: in so many of the stories no swap after the first touches the object, and then "where the object was after
 * the first event" answers every question of order 1 and above. That is the artefact of a benchmark; a model that is
 * rewarded for right answers can live on it and stop computing.
 *
 * Left out, on purpose: rooms, telling, noise. A model of 25 k parameters has to read these stories.
 */
import { decidingEvent, type SeenEvent } from './seen-event';

/** One line of the story after the announcement. */
export type SwapLine =
  | { act: 'swap'; actor: string; places: [string, string] }
  | { act: 'entered'; actor: string }
  | { act: 'exited'; actor: string };

/** Plain JSON: all that the story and the question say. */
export interface SwapWorld {
  agents: string[];
  /** The five places of the room; a story names those that its swaps touch. */
  places: string[];
  object: string;
  start: string;
  lines: SwapLine[];
  /** The asked-about agents, outermost first; empty for the question after reality. */
  chain: string[];
}

/** The events of a world in the order in which they happened; the first is the announced start. */
export function swapEvents(world: SwapWorld): SeenEvent[] {
  let present = [...world.agents];
  let place = world.start;
  const events: SeenEvent[] = [{ actor: 'start', place, witnesses: present }];
  for (const line of world.lines) {
    if (line.act === 'exited') {
      present = present.filter((agent) => agent !== line.actor);
      continue;
    }
    if (line.act === 'entered') present = [...present, line.actor];
    else if (line.act === 'swap') place = afterSwap(place, line.places);
    events.push({ actor: line.actor, place, witnesses: present });
  }
  return events;
}

/** Where the chain believes the object to be; for the empty chain, where it is. */
export function swapBelief(world: SwapWorld, chain: readonly string[] = world.chain): string {
  const events = swapEvents(world);
  return events[decidingEvent(events, chain)].place;
}

/** The rule `first-event`: where the object was after the first event, whoever is asked about. */
export function firstEventPlace(world: SwapWorld): string {
  return swapEvents(world)[1].place;
}

function afterSwap(place: string, [one, other]: readonly [string, string]): string {
  if (place === one) return other;
  return place === other ? one : place;
}
