/**
 * Checks the traces of the swap world. The simulated world decides each clause exactly. A question needs a clause about
 * every event of its story.
 */
import { isSeenByAll, swapBelief, swapEvents, type SeenEvent, type SwapWorld } from '../tom/worlds/swap';
import { traceCheckOf, type JudgedStatement, type TraceCheck } from './types';

/**
 *     start box      the object began in the box, and all agents of the question saw it there
 *     ann jar        in the next event ann acted, all agents of the question saw it, and the object was in the jar after it
 *     none           not all agents of the question saw the next event
 *     so jar         the answer is jar
 *
 * The clauses describe the events in order. Clauses beyond the last event, conclusions after the first and text outside
 * this grammar are `unread`.
 */
export function checkSwapTrace(think: string, world: SwapWorld): TraceCheck {
  const events = swapEvents(world);
  let next = 0;
  let concluded = false;
  const judged = clausesOf(think).map((words): JudgedStatement => {
    const text = words.join(' ');
    if (words.length === 2 && words[0] === 'so') {
      const isFirst = !concluded;
      concluded = true;
      return { text, holds: isFirst ? words[1] === swapBelief(world) : null, covers: [] };
    }
    const isClause = words.length === 2 || (words.length === 1 && words[0] === 'none');
    if (!isClause || next >= events.length) return { text, holds: null, covers: [] };
    const index = next++;
    const holds = isTrueOf(words, events[index], world.chain);
    return { text, holds, covers: [String(index)] };
  });
  return traceCheckOf(judged, events.length);
}

function clausesOf(think: string): string[][] {
  return think
    .split(';')
    .map((clause) => clause.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
}

function isTrueOf(words: readonly string[], event: SeenEvent, chain: readonly string[]): boolean {
  const seen = isSeenByAll(event, chain);
  if (words.length === 1) return !seen;
  return seen && words[0] === event.actor && words[1] === event.place;
}
