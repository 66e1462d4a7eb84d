/**
 * The words of the swap world: its vocabulary, the story, the question and the gold traces.
 *
 * One word is one token, and a word is whatever stands between two spaces. The grammar of a full trace, which has one
 * clause for each event in the order of the story:
 *
 *     clause     = actor place ";"      all of those asked about saw the event, and then the object was there;
 *                                       the actor of the announcement is "start"
 *                | "none" ";"           not all of them saw it
 *     conclusion = "so" place
 *
 * A short trace is the conclusion alone, a direct one says nothing.
 */
import type { Verbosity } from './item';
import { smallStory, smallVocabulary } from './small-words';
import { isSeenByAll } from './seen-event';
import { swapBelief, swapEvents, type SwapLine, type SwapWorld } from './swap-world';

const STORY_WORDS = ['entered', 'in', 'swap', 'exited', '.', 'where', 'is', 'does', 'think', '?'];
const TRACE_WORDS = ['start', 'none', ';', 'so'];

/**
 * Every word of prompts and completions, the index being the token id: the two special tokens first, then the tags
 * (ordinary words here), the grammar and the names. 40 in all.
 */
export function swapVocabulary(): string[] {
  return smallVocabulary([...STORY_WORDS, ...TRACE_WORDS]);
}

export function swapStory(world: SwapWorld): string {
  return smallStory(world, world.lines.map(sentence));
}

/** What follows the given `<think>`: reasoning at three verbosities, each with the true answer. */
export function swapTraces(world: SwapWorld): Record<Verbosity, string> {
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

function sentence(line: SwapLine): string {
  return line.act === 'swap'
    ? `${line.actor} swap ${line.places.join(' ')} .`
    : `${line.actor} ${line.act} .`;
}
