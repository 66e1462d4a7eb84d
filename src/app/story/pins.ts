/** Which event of the story each statement of a trace speaks of. */
import type { TraceStatement } from '../../reward/types';
import type { SmallStory } from '../../tom/text/read-small-story';

export interface Pin extends TraceStatement {
  /** Index among the story's events; `answer` for the conclusion; null where the statement speaks of none. */
  event: number | 'answer' | null;
}

/**
 * In the swap world the clauses speak of the events in their order. In the nano world each names its event's actor; of
 * several events of one actor the statement's place tells which, and else the first not yet spoken of is meant.
 */
export function pinsOf({ kind, events }: SmallStory, statements: readonly TraceStatement[]): Pin[] {
  const spokenOf = new Set<number>();
  return statements.map((statement): Pin => {
    const [actor, place, third] = statement.text.split(/\s+/);
    if (statement.verdict === 'unread') return { ...statement, event: null };
    if (actor === 'so') return { ...statement, event: 'answer' };
    const fresh = events.flatMap((event, i) => (spokenOf.has(i) ? [] : [{ ...event, i }]));
    const said = place === 'last' ? third : place;
    const own = fresh.filter((event) => event.actor === actor);
    const found = kind === 'swap' ? fresh.at(0) : (own.find((event) => event.place === said) ?? own.at(0));
    if (found === undefined) return { ...statement, event: null };
    spokenOf.add(found.i);
    return { ...statement, event: found.i };
  });
}
