/**
 * Reading the traces of the small worlds: each clause is a claim that the world confirms or refutes, exactly. A question
 * needs a clause about every event of its story.
 */
import {
  decidingEvent,
  isSeenByAll,
  smallBelief,
  smallEvents,
  type SeenEvent,
  type SmallWorld,
} from '../tom/worlds/small-world';
import { traceCheckOf, type JudgedStatement } from './statements';
import type { TraceCheck } from './types';

interface Claim {
  holds: boolean;
  /** Indices of the events that the claim is true of; none for a false one and for a conclusion. */
  events: number[];
}

/**
 *     start drawer seen gus cat      the object began in the drawer, and of those asked about gus and cat saw it
 *     ann jar seen none              when ann had acted it was in the jar, and none of those asked about saw that
 *     gus last bin                   the last event that all asked about saw together was gus's, and it was in the bin
 *     so bin                         therefore the answer is bin
 *
 * Saying the same thing twice adds nothing and is left unread, so that repetition cannot buy validity.
 */
export function checkNanoTrace(think: string, world: SmallWorld): TraceCheck {
  const events = smallEvents(world);
  const covered = new Set<number>();
  const said = new Set<string>();
  const judged = clausesOf(think).map((words): JudgedStatement => {
    const text = words.join(' ');
    const claim = readClaim(words, events, world);
    const event = claim?.events.find((index) => !covered.has(index));
    // The same words may be true of two events (a return), and then count twice; otherwise repeating adds nothing.
    if (claim === null || (event === undefined && said.has(text))) return { text, holds: null, covers: [] };
    said.add(text);
    if (event !== undefined) covered.add(event);
    return { text, holds: claim.holds, covers: event === undefined ? [] : [String(event)] };
  });
  return traceCheckOf(judged, events.length);
}

function clausesOf(think: string): string[][] {
  return think
    .split(';')
    .map((clause) => clause.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
}

function readClaim(words: readonly string[], events: readonly SeenEvent[], world: SmallWorld): Claim | null {
  const deciding = decidingEvent(events, world.chain);
  const { actor, place } = events[deciding];
  if (words.length === 2 && words[0] === 'so') return { holds: words[1] === place, events: [] };
  if (words.length === 3 && words[1] === 'last') {
    const holds = words[0] === actor && words[2] === place;
    return { holds, events: holds ? [deciding] : [] };
  }
  if (words.length < 4 || words[2] !== 'seen') return null;
  const told = events.flatMap((event, index) =>
    event.actor === words[0] && event.place === words[1] && sawIt(event, words.slice(3), world.chain)
      ? [index]
      : [],
  );
  return { holds: told.length > 0, events: told };
}

/** Whether the named ones are exactly those asked about who saw the event. */
function sawIt(event: SeenEvent, named: readonly string[], chain: readonly string[]): boolean {
  const seers = chain.filter((agent) => event.witnesses.includes(agent));
  if (seers.length === 0) return named.length === 1 && named[0] === 'none';
  return named.length === seers.length && seers.every((agent) => named.includes(agent));
}

/**
 *     start box      the object began in the box, and all of those asked about saw it there
 *     ann jar        in the next event ann acted, all of those asked about saw it, and then it was in the jar
 *     none           not all of them saw the next event
 *     so jar         therefore the answer is jar
 *
 * The clauses speak of the events in their order. A clause beyond the last event, a second conclusion and whatever follows
 * the grammar in nothing are left unread.
 */
export function checkSwapTrace(think: string, world: SmallWorld): TraceCheck {
  const events = smallEvents(world);
  let next = 0;
  let concluded = false;
  const judged = clausesOf(think).map((words): JudgedStatement => {
    const text = words.join(' ');
    if (words.length === 2 && words[0] === 'so') {
      const isFirst = !concluded;
      concluded = true;
      return { text, holds: isFirst ? words[1] === smallBelief(world) : null, covers: [] };
    }
    const isClause = words.length === 2 || (words.length === 1 && words[0] === 'none');
    if (!isClause || next >= events.length) return { text, holds: null, covers: [] };
    const index = next++;
    const holds = isTrueOf(words, events[index], world.chain);
    return { text, holds, covers: holds ? [String(index)] : [] };
  });
  return traceCheckOf(judged, events.length);
}

function isTrueOf(words: readonly string[], event: SeenEvent, chain: readonly string[]): boolean {
  const seen = isSeenByAll(event, chain);
  if (words.length === 1) return !seen;
  return seen && words[0] === event.actor && words[1] === event.place;
}
