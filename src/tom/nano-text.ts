/**
 * The words of the nano world: its vocabulary, the story, the question and the gold traces.
 *
 * One word is one token, and a word is whatever stands between two spaces. The grammar of a full trace:
 *
 *     clause     = actor place "seen" (asked-about agents who saw it | "none") ";"      actor "start" comes first
 *     conclusion = "so" place
 *
 * A short trace names only the deciding event (`gus last bin`), a direct one says nothing.
 */
import { nanoEvents, type NanoLine, type NanoWorld } from './nano-world';
import { decidingEvent } from './seen-event';
import type { Verbosity } from './item';
import { smallStory, smallVocabulary } from './small-words';

const STORY_WORDS = ['entered', 'in', 'moved', 'stayed', 'exited', '.', 'where', 'is', 'does', 'think', '?'];
const TRACE_WORDS = ['start', 'seen', 'none', ';', 'so', 'last'];

/**
 * Every word of prompts and completions, the index being the token id: the two special tokens first, then the tags
 * (ordinary words here, not special ones), the grammar and the names. 43 in all.
 */
export function nanoVocabulary(): string[] {
  return smallVocabulary([...STORY_WORDS, ...TRACE_WORDS]);
}

export function nanoStory(world: NanoWorld): string {
  return smallStory(world, world.lines.map(sentence));
}

/** What follows the given `<think>`: reasoning at three verbosities, each with the true answer. */
export function nanoTraces(world: NanoWorld): Record<Verbosity, string> {
  const events = nanoEvents(world);
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

function sentence({ actor, act, place }: NanoLine): string {
  return place === undefined ? `${actor} ${act} .` : `${actor} ${act} ${place} .`;
}
