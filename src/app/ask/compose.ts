/** A visitor's own story of a small world: drawn to begin with, then changed line by line. */
import { createRandom } from '../../base/random';
import type { RunConfig } from '../../run/config/config';
import type { Item } from '../../tom/item';
import { drawNanoWorld, nanoItem } from '../../tom/worlds/nano';
import type { SmallStory } from '../../tom/text/read-small-story';
import { PLACES, smallEvents } from '../../tom/worlds/small-world';
import { drawSwapWorld, swapDefaults, swapItem } from '../../tom/worlds/swap';

/** One line of a story of either world; which of the two places count is up to the act. */
export interface DraftLine {
  actor: string;
  act: 'swap' | 'moved' | 'stayed' | 'exited' | 'entered';
  places: [string, string];
}

/** What the form holds. */
export interface DraftStory {
  kind: 'swap' | 'nano';
  agents: string[];
  object: string;
  start: string;
  lines: DraftLine[];
  /** The asked-about agents, outermost first. */
  chain: string[];
}

export const actsOf: Record<DraftStory['kind'], DraftLine['act'][]> = {
  swap: ['swap', 'exited', 'entered'],
  nano: ['moved', 'stayed', 'exited', 'entered'],
};

const STREAM = 0x61736b;
/** Stories are drawn with questions of these orders in turn. */
const ORDERS = [1, 2, 3];
const STORIES_LOOKED_AT = 30;

/** The world whose stories a run's questions are about; null where no story of it can be composed here. */
export function composedWorld({ data }: Pick<RunConfig, 'data'>): DraftStory['kind'] | null {
  return data.source === 'swap' || data.source === 'nano' ? data.source : null;
}

/** The `number`th story to begin with. */
export function drawnStory(kind: DraftStory['kind'], number: number): DraftStory {
  const random = createRandom(number, STREAM);
  const order = ORDERS[number % ORDERS.length];
  if (kind === 'nano') return draftOf({ kind, world: drawNanoWorld(random, order, false) });
  return draftOf({ kind, world: drawSwapWorld(random, order, swapDefaults) });
}

/** Of the stories that the models of a world were trained on: how many lines and people they have. */
export function usualStory(kind: DraftStory['kind']): { least: number; most: number; people: number } {
  const stories = Array.from({ length: STORIES_LOOKED_AT }, (_, number) => drawnStory(kind, number));
  const counts = stories.map(({ lines }) => lines.length);
  return { least: Math.min(...counts), most: Math.max(...counts), people: stories[0].agents.length };
}

/** A story as the form holds it. */
export function draftOf(
  told:
    | Pick<Extract<SmallStory, { kind: 'swap' }>, 'kind' | 'world'>
    | Pick<Extract<SmallStory, { kind: 'nano' }>, 'kind' | 'world'>,
): DraftStory {
  const { agents, object, start, chain } = told.world;
  const lines = told.world.lines.map((line): DraftLine => {
    if (line.act === 'swap') return line;
    const [one, other] = PLACES;
    return { actor: line.actor, act: line.act, places: [('place' in line && line.place) || one, other] };
  });
  return { kind: told.kind, agents, object, start, chain, lines };
}

/** The question as any other, with its true answer; its id says that it was asked here. */
export function storyOf({ kind, lines, ...shared }: DraftStory): SmallStory {
  if (kind === 'swap') {
    const places = lines.flatMap((line) => (line.act === 'swap' ? line.places : []));
    const world = {
      ...shared,
      places: [...new Set([shared.start, ...places])],
      lines: lines.map(({ actor, act, places: pair }) =>
        act === 'swap' ? { act, actor, places: pair } : { act: act as 'exited' | 'entered', actor },
      ),
    };
    return { kind, world, events: smallEvents(world) };
  }
  const world = {
    ...shared,
    containers: [
      ...new Set([shared.start, ...lines.flatMap(({ act, places }) => (act === 'moved' ? [places[0]] : []))]),
    ],
    lines: lines.map(({ actor, act, places }) =>
      act === 'moved'
        ? { actor, act, place: places[0] }
        : { actor, act: act as 'stayed' | 'exited' | 'entered' },
    ),
  };
  return { kind, world, events: smallEvents(world) };
}

/** @param draft one without a fault */
export function itemOf(draft: DraftStory): Item {
  const story = storyOf(draft);
  return story.kind === 'swap' ? swapItem(story.world, 'asked') : nanoItem(story.world, 'asked');
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
  if (!lines.some(({ act }) => act === 'swap' || act === 'moved' || act === 'stayed')) {
    return 'Nothing happens to the object: add a line.';
  }
  return new Set(chain).size < chain.length ? 'The question names somebody twice.' : null;
}
