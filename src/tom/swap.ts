/**
 * The generator of swap stories: a seeded world, one question about it, and everything known about the answer.
 *
 * Four of eight agents, five of eight places, one of four objects, `events` swaps. The actor of a swap is drawn from those
 * present. A swap touches the object with probability .75; in the fraction rho of the stories none after the first does.
 * The three exits follow three different events, drawn from all but the last one (of fewer than four events, from all).
 */
import type { Random } from '../random';
import type { Item } from './item';
import { storyIdOf } from './story-id';
import { AGENTS, OBJECTS, PLACES, smallQuestion } from './small-words';
import { swapStory, swapTraces } from './swap-text';
import { firstEventPlace, swapBelief, type SwapLine, type SwapWorld } from './swap-world';

const PEOPLE = 4;
const LEAVING = 3;
const PLACES_IN_ROOM = 5;
const TOUCH_PROBABILITY = 0.75;
/** Of the stories that may have a return, how many do. */
const RETURN_PROBABILITY = 0.5;

export interface SwapDials {
  /** Fraction of the stories in which no swap after the first touches the object. */
  rho: number;
  /** Swaps in a story, within `swapEventRange`. */
  events: number;
  reentry: boolean;
}

/** Swaps that a story can have. */
export const swapEventRange = { least: 3, most: 12 } as const;

/** The world at large: what the built-in models are pretrained on, where the shortcut answers 57 % of orders 1 to 3. */
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

/** The item that asks a world's question. */
export function swapItem(world: SwapWorld, id: string): Item {
  const story = swapStory(world);
  return {
    id,
    dataset: 'swap',
    storyId: storyIdOf('swap', story),
    story,
    question: smallQuestion(world),
    answer: swapBelief(world),
    order: world.chain.length,
    kind: world.lines.some(({ act }) => act === 'entered') ? 're-entry' : 'plain',
    shortcuts: world.chain.length === 0 ? {} : { 'first-event': firstEventPlace(world) },
    traces: swapTraces(world),
    world,
    training: 'allowed',
  };
}

/**
 * The same story with other places in one swap, the latest that can do it, so that the answer must change. There always
 * is one: everybody sees the first swap, it can put the object anywhere, and later swaps never bring two places together.
 */
export function swapTwin(world: SwapWorld): SwapWorld {
  const answer = swapBelief(world);
  const pairs = world.places.flatMap((one, index) =>
    world.places.slice(index + 1).map((other): [string, string] => [one, other]),
  );
  const twins = world.lines.flatMap((line, index) =>
    line.act === 'swap'
      ? pairs.map((places): SwapWorld => ({ ...world, lines: world.lines.with(index, { ...line, places }) }))
      : [],
  );
  return twins.findLast((twin) => swapBelief(twin) !== answer)!;
}

/** After which events the three leave, in order. */
function exitEvents(random: Random, events: number): number[] {
  const candidates = Array.from({ length: Math.max(LEAVING, events - 1) }, (_, index) => index + 1);
  return random.sample(candidates, LEAVING).sort((a, b) => a - b);
}

/** The event for which somebody comes back, after the first exit; null where nobody does. */
function guestEvent(random: Random, { events, reentry }: SwapDials, firstExit: number): number | null {
  if (!reentry || random.uniform() >= RETURN_PROBABILITY) return null;
  return firstExit + 1 + random.integer(events - firstExit);
}
