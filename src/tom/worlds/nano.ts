/**
 * Nano stories: the world, its words, and the generator of questions about it.
 *
 * Four of eight agents enter a room where one of four objects lies in one of four containers. Each in turn moves the object
 * to one of the other three (with probability .6) or stays, then exits; in some stories one of them comes back in for a
 * while. Whoever is in the room sees what happens there. Stories with a return are held out of the headline run: there
 * the first to act may see more later, and the shortcut fails at every order.
 *
 * One word is one token, and a word is whatever stands between two spaces. The grammar of a full trace:
 *
 *     clause     = actor place "seen" (asked-about agents who saw it | "none") ";"      actor "start" comes first
 *     conclusion = "so" place
 *
 * A short trace names only the deciding event (`gus last bin`), a direct one says nothing.
 */
import type { Random } from '../../base/random';
import type { Item, Verbosity } from '../item';
import {
  AGENTS,
  OBJECTS,
  PLACES,
  smallVocabulary,
  decidingEvent,
  smallBelief,
  smallEvents,
  smallItem,
  type SmallWorld,
} from './small-world';

/** One line of the story after the announcement; `place` stands with `moved` only. */
export interface NanoLine {
  actor: string;
  act: 'moved' | 'stayed' | 'exited' | 'entered';
  place?: string;
}

export interface NanoWorld extends SmallWorld {
  containers: string[];
  lines: NanoLine[];
}

const STORY_WORDS = ['entered', 'in', 'moved', 'stayed', 'exited', '.', 'where', 'is', 'does', 'think', '?'];
const TRACE_WORDS = ['start', 'seen', 'none', ';', 'so', 'last'];

/**
 * Every word of prompts and completions, the index being the token id: the two special tokens first, then the tags
 * (ordinary words here, not special ones), the grammar and the names. 43 in all.
 */
export function nanoVocabulary(): string[] {
  return smallVocabulary([...STORY_WORDS, ...TRACE_WORDS]);
}

const PEOPLE = 4;
const CONTAINERS = 4;
const MOVE_PROBABILITY = 0.6;
/** Of the stories that may have a return, how many do. */
const RETURN_PROBABILITY = 0.5;

/** A world with a question of the given order (0 to 4). */
export function drawNanoWorld(random: Random, order: number, reentry: boolean): NanoWorld {
  const agents = random.sample(AGENTS, PEOPLE);
  const containers = random.sample(PLACES, CONTAINERS);
  const object = random.choice(OBJECTS);
  const returnBefore =
    reentry && random.uniform() < RETURN_PROBABILITY ? 1 + random.integer(PEOPLE - 1) : null;
  const start = containers[0];
  const lines: NanoLine[] = [];
  let place = start;
  agents.forEach((actor, turn) => {
    const guest = turn === returnBefore ? agents[random.integer(turn)] : null;
    if (guest !== null) lines.push({ actor: guest, act: 'entered' });
    if (random.uniform() < MOVE_PROBABILITY) {
      const from = place;
      place = random.choice(containers.filter((container) => container !== from));
      lines.push({ actor, act: 'moved', place });
    } else {
      lines.push({ actor, act: 'stayed' });
    }
    lines.push({ actor, act: 'exited' });
    if (guest !== null) lines.push({ actor: guest, act: 'exited' });
  });
  return { agents, containers, object, start, lines, chain: random.sample(agents, order) };
}

/** The item that asks a world's question. */
export function nanoItem(world: NanoWorld, id: string): Item {
  return smallItem('nano', world, id, { shortcuts: nanoShortcuts(world), traces: nanoTraces(world) });
}

/**
 * Two rules that track no belief. `first-event`, which collapsed models sit on: where the object was after the first
 * agent acted, whoever is asked about; right on 48/68/85/100 % of orders 1/2/3/4. `first-leaver`: where it was when the
 * first of those asked about left, which can be read off the story and is right on every plain one: nano stories need no
 * tracking. Questions after reality ask no belief and have neither.
 */
function nanoShortcuts(world: NanoWorld): Record<string, string> {
  if (world.chain.length === 0) return {};
  const events = smallEvents(world);
  const exit = world.lines.findIndex(({ act, actor }) => act === 'exited' && world.chain.includes(actor));
  const before = smallEvents({ ...world, lines: world.lines.slice(0, exit) });
  return { 'first-event': events[1].place, 'first-leaver': before[before.length - 1].place };
}

/** What follows the given `<think>`: reasoning at three verbosities, each with the true answer. */
function nanoTraces(world: NanoWorld): Record<Verbosity, string> {
  const events = smallEvents(world);
  const { actor, place } = events[decidingEvent(events, world.chain)];
  const clauses = events.map((event) => {
    const seers = world.chain.filter((agent) => event.witnesses.includes(agent));
    return `${event.actor} ${event.place} seen ${seers.length > 0 ? seers.join(' ') : 'none'} ;`;
  });
  const ending = `</think> <answer> ${place} </answer>`;
  return {
    full: `${clauses.join(' ')} so ${place} ${ending}`,
    short: `${actor} last ${place} ${ending}`,
    direct: ending,
  };
}

/**
 * The same story with the deciding act changed and nothing else, so that the answer must change: a model that tracks
 * the belief follows, one that answers from habit or by rote does not. When a return decides, the act that had put the
 * object where it then lay is the one that changes.
 */
export function nanoCounterfactual(world: NanoWorld): NanoWorld {
  const deciding = decidingEvent(smallEvents(world), world.chain);
  const answer = smallBelief(world);
  const showing = world.lines
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.act !== 'exited');
  const seen = showing.slice(0, deciding);
  const changed = seen.findLast(({ line }) => line.act !== 'entered')?.index ?? -1;
  const placeBefore = world.lines
    .slice(0, Math.max(changed, 0))
    .findLast((line) => line.act === 'moved')?.place;
  const nextMove = world.lines.slice(changed + 1).find((line) => line.act === 'moved')?.place;
  const place = world.containers.find((container) => container !== answer && container !== nextMove)!;
  if (changed === -1) return { ...world, start: place };
  const stays = place === (placeBefore ?? world.start);
  const line: NanoLine = {
    actor: world.lines[changed].actor,
    ...(stays ? { act: 'stayed' } : { act: 'moved', place }),
  };
  return { ...world, lines: world.lines.with(changed, line) };
}
