/**
 * Swap stories: the world, its words, and the generator of questions about it.
 *
 * Four of eight agents enter a room with five of eight places; one of four objects is in one of them. In each event a
 * present agent swaps the contents of two places, so a solver must compute the object's place event by event. Three of
 * the four leave, after different events (drawn from all but the last; with fewer than four events, from all). In some
 * stories one of them comes back for one event. Agents in the room see every swap.
 *
 * A swap touches the object with probability .75. The setting rho is the fraction of stories in which no swap after the
 * first touches it. In these, "where the object was after the first event" answers every question of order 1 and above.
 * This is a benchmark artefact: a model that is rewarded for right answers can rely on it and stop computing.
 *
 * One word is one token, and spaces separate words. The grammar of a full trace has one clause for each event, in story
 * order:
 *
 *     clause     = actor place ";"      every agent of the question saw the event; the object was then there;
 *                                       the actor of the announcement is "start"
 *                | "none" ";"           some agent of the question missed it
 *     conclusion = "so" place
 *
 * A short trace is the conclusion alone; a direct trace is empty.
 *
 * The belief of a chain of agents ("gus thinks that cat thinks …") is the object's place after the last event that all
 * agents of the chain saw together. The empty chain sees everything, so its belief is reality. Events are the announced
 * start, each swap, and each return (a returning agent sees where the object is). An exit shows nothing about the
 * object.
 *
 * Rooms, telling and noise are left out on purpose: a model with 12 k parameters has to read these stories.
 */
import type { Random } from '../../base/random';
import type { Item, Verbosity } from '../item';
import { storyIdOf } from '../stories';

const AGENTS = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay', 'gus', 'hal'] as const;
const PLACES = ['bag', 'bin', 'box', 'chest', 'drawer', 'jar', 'shelf', 'tin'] as const;
const OBJECTS = ['ball', 'coin', 'key', 'ring'] as const;

/** One line of the story after the announcement. */
export type SwapLine =
  | { act: 'swap'; actor: string; places: [string, string] }
  | { act: 'entered'; actor: string }
  | { act: 'exited'; actor: string };

/** The content of the story and the question, as plain JSON. */
export interface SwapWorld {
  agents: string[];
  object: string;
  start: string;
  lines: SwapLine[];
  /** The five places of the room; a story names only those that its swaps touch. */
  places: string[];
  /** The agents of the question, outermost first; empty for a question about reality. */
  chain: string[];
}

/** An event that shows where the object is, and its witnesses. */
export interface SeenEvent {
  /** `start` for the announcement. */
  actor: string;
  /** The object's place after the event. */
  place: string;
  /** All agents who saw it, including the actor. */
  witnesses: string[];
}

/** The events of a world in order; the first is the announced start. */
export function swapEvents({ agents, start, lines }: SwapWorld): SeenEvent[] {
  let present = [...agents];
  let place = start;
  const events: SeenEvent[] = [{ actor: 'start', place, witnesses: present }];
  for (const line of lines) {
    if (line.act === 'exited') {
      present = present.filter((agent) => agent !== line.actor);
      continue;
    }
    if (line.act === 'entered') present = [...present, line.actor];
    else {
      const [one, other] = line.places;
      if (one === place) place = other;
      else if (other === place) place = one;
    }
    events.push({ actor: line.actor, place, witnesses: present });
  }
  return events;
}

/** True if all agents of the chain saw the event. */
export function isSeenByAll({ witnesses }: SeenEvent, chain: readonly string[]): boolean {
  return chain.every((agent) => witnesses.includes(agent));
}

/**
 * Index of the last event that all agents of the chain saw together. Everybody sees the start, so there is always one.
 */
export function decidingEvent(events: readonly SeenEvent[], chain: readonly string[]): number {
  return events.findLastIndex((event) => isSeenByAll(event, chain));
}

/** The place where the chain believes the object to be; for the empty chain, its true place. */
export function swapBelief(world: SwapWorld): string {
  const events = swapEvents(world);
  return events[decidingEvent(events, world.chain)].place;
}

const PEOPLE = 4;
const LEAVING = 3;
const PLACES_IN_ROOM = 5;
const TOUCH_PROBABILITY = 0.75;
/** Fraction of the eligible stories that have a return. */
const RETURN_PROBABILITY = 0.5;

export interface SwapDials {
  /** Fraction of stories in which no swap after the first touches the object. */
  rho: number;
  /** Number of swaps in a story, within `swapEventRange`. */
  events: number;
  reentry: boolean;
}

/** Range of the number of swaps. */
export const swapEventRange = { least: 3, most: 12 } as const;

/** Default settings. The built-in models are pretrained with these; the shortcut answers 56 % of orders 1 to 3. */
export const swapDefaults: SwapDials = { rho: 0.2, events: 6, reentry: false };

/** A world with a question of the given order (0 to 4). */
export function drawSwapWorld(random: Random, order: number, dials: SwapDials): SwapWorld {
  const { rho, events } = dials;
  const agents = random.sample(AGENTS, PEOPLE);
  const places = random.sample(PLACES, PLACES_IN_ROOM);
  const object = random.choice(OBJECTS);
  const isStill = random.uniform() < rho;
  const exitAfter = exitEvents(random, events);
  const leavers = random.sample(agents, LEAVING);
  const guestTurn = guestEvent(random, dials, exitAfter[0]);
  const lines: SwapLine[] = [];
  let place = places[0];
  let present = agents;
  let gone: string[] = [];
  for (let turn = 1; turn <= events; turn++) {
    const guest = turn === guestTurn ? random.choice(gone) : null;
    if (guest !== null) lines.push({ act: 'entered', actor: guest });
    const actor = random.choice(guest === null ? present : [...present, guest]);
    const touches = random.uniform() < TOUCH_PROBABILITY && (turn === 1 || !isStill);
    const elsewhere = places.filter((other) => other !== place);
    const pair = touches ? random.shuffle([place, random.choice(elsewhere)]) : random.sample(elsewhere, 2);
    lines.push({ act: 'swap', actor, places: [pair[0], pair[1]] });
    if (touches) place = pair.find((other) => other !== place)!;
    if (guest !== null) lines.push({ act: 'exited', actor: guest });
    const exit = exitAfter.indexOf(turn);
    if (exit === -1) continue;
    lines.push({ act: 'exited', actor: leavers[exit] });
    present = present.filter((agent) => agent !== leavers[exit]);
    gone = [...gone, leavers[exit]];
  }
  return { agents, places, object, start: places[0], lines, chain: random.sample(agents, order) };
}

function swapStory({ agents, object, start, lines }: SwapWorld): string {
  const sentences = lines.map((line) =>
    [line.actor, line.act, ...(line.act === 'swap' ? line.places : []), '.'].join(' '),
  );
  return [`${agents.join(' ')} entered . ${object} in ${start} .`, ...sentences].join(' ');
}

export function swapQuestion({ chain, object }: Pick<SwapWorld, 'chain' | 'object'>): string {
  if (chain.length === 0) return `where is ${object} ?`;
  return `where does ${chain.map((agent) => `${agent} think`).join(' ')} ${object} ?`;
}

/** The item for a world's question. Its shortcut, `first-event`, is the object's place after the first event. */
export function swapItem(world: SwapWorld, id: string): Item {
  const story = swapStory(world);
  return {
    id,
    dataset: 'swap',
    storyId: storyIdOf('swap', story),
    story,
    question: swapQuestion(world),
    answer: swapBelief(world),
    order: world.chain.length,
    kind: world.lines.some(({ act }) => act === 'entered') ? 're-entry' : 'plain',
    shortcut: world.chain.length === 0 ? undefined : swapEvents(world)[1].place,
    traces: swapTraces(world),
    world,
  };
}

/** Gold completions after the pre-filled `<think>`: reasoning at three verbosities, each with the true answer. */
function swapTraces(world: SwapWorld): Record<Verbosity, string> {
  const clauses = swapEvents(world).map((event) =>
    isSeenByAll(event, world.chain) ? `${event.actor} ${event.place} ;` : 'none ;',
  );
  const place = swapBelief(world);
  const ending = `</think> <answer> ${place} </answer>`;
  return {
    full: `${clauses.join(' ')} so ${place} ${ending}`,
    short: `so ${place} ${ending}`,
    direct: ending,
  };
}

/** The events after which the three agents leave, in order. */
function exitEvents(random: Random, events: number): number[] {
  const candidates = Array.from({ length: Math.max(LEAVING, events - 1) }, (_, index) => index + 1);
  return random.sample(candidates, LEAVING).sort((a, b) => a - b);
}

/** The event for which an agent comes back, after the first exit; null if no agent does. */
function guestEvent(random: Random, { events, reentry }: SwapDials, firstExit: number): number | null {
  if (!reentry || random.uniform() >= RETURN_PROBABILITY) return null;
  return firstExit + 1 + random.integer(events - firstExit);
}
