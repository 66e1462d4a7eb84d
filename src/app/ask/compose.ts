/** A visitor's own story of the swap world: drawn to begin with, then changed line by line. */
import { createRandom } from '../../base/random';
import type { RunConfig } from '../../run/config/config';
import type { Item } from '../../tom/item';
import { placesOf, type SwapStory } from '../../tom/text/read-swap-story';
import {
  drawSwapWorld,
  PLACES,
  swapDefaults,
  swapEvents,
  swapItem,
  type SwapLine,
  type SwapWorld,
} from '../../tom/worlds/swap';

/** One line of a story; the places count where it is a swap. */
export interface DraftLine {
  actor: string;
  act: SwapLine['act'];
  places: [string, string];
}

/** What the form holds. */
export interface DraftStory extends Pick<SwapWorld, 'agents' | 'object' | 'start' | 'chain'> {
  lines: DraftLine[];
}

const STREAM = 0x61736b;
/** Stories are drawn with questions of these orders in turn. */
const ORDERS = [1, 2, 3];
const STORIES_LOOKED_AT = 30;

/** Whether stories like those of a run's questions can be composed here. */
export const isComposed = ({ data }: Pick<RunConfig, 'data'>): boolean => data.source === 'swap';

/** The `number`th story to begin with. */
export function drawnStory(number: number): DraftStory {
  const random = createRandom(number, STREAM);
  return draftOf(drawSwapWorld(random, ORDERS[number % ORDERS.length], swapDefaults));
}

/** Of the stories that the models were trained on: how many lines and people they have. */
export function usualStory(): { least: number; most: number; people: number } {
  const stories = Array.from({ length: STORIES_LOOKED_AT }, (_, number) => drawnStory(number));
  const counts = stories.map(({ lines }) => lines.length);
  return { least: Math.min(...counts), most: Math.max(...counts), people: stories[0].agents.length };
}

export function draftOf({ agents, object, start, chain, lines }: SwapWorld): DraftStory {
  const held = lines.map((line): DraftLine =>
    line.act === 'swap' ? line : { ...line, places: [PLACES[0], PLACES[1]] },
  );
  return { agents, object, start, chain, lines: held };
}

export function storyOf({ lines: held, ...shared }: DraftStory): SwapStory {
  const lines = held.map(({ act, actor, places }): SwapLine =>
    act === 'swap' ? { act, actor, places } : { act, actor },
  );
  const world = { ...shared, lines, places: placesOf(shared.start, lines) };
  return { world, events: swapEvents(world) };
}

/**
 * The question as any other, with its true answer; its id says that it was asked here.
 *
 * @param draft one without a fault
 */
export function itemOf(draft: DraftStory): Item {
  return swapItem(storyOf(draft).world, 'asked');
}

/** What keeps the story from being told, in one sentence; null where nothing does. */
export function faultOf({ agents, lines, chain }: DraftStory): string | null {
  let present = agents;
  for (const [i, { actor, act, places }] of lines.entries()) {
    const isHere = present.includes(actor);
    if (act === 'entered' && isHere) return `Line ${i + 1}: ${actor} is in the room already.`;
    if (act !== 'entered' && !isHere) return `Line ${i + 1}: ${actor} is not in the room.`;
    if (act === 'swap' && places[0] === places[1]) return `Line ${i + 1}: a swap takes two different places.`;
    if (act === 'entered') present = [...present, actor];
    if (act === 'exited') present = present.filter((agent) => agent !== actor);
  }
  if (!lines.some(({ act }) => act === 'swap')) return 'Nothing happens to the object: add a line.';
  return new Set(chain).size < chain.length ? 'The question names somebody twice.' : null;
}
