/**
 * What the small worlds (nano, swap) share: stories of one object in one room, and their exact beliefs.
 *
 * The belief of a chain of agents ("gus thinks that cat thinks …") is the object's place after the last event that all of
 * the chain saw together; the empty chain sees everything, so its belief is reality. Events are the announced start, each
 * act, and each return (who comes in sees where the object is); an exit shows nothing about the object.
 *
 * Left out, on purpose: rooms, telling, noise. A model of 25 k parameters has to read these stories.
 */
import type { Item } from '../item';
import { storyIdOf } from '../story-id';

/** Fills a batch up to one length; never part of a text. */
export const PAD_TOKEN = '<pad>';
/** Ends a completion; never part of a text. */
export const END_TOKEN = '<eos>';

/** Ordinary words of these vocabularies, not special tokens. */
export const TAGS = ['<think>', '</think>', '<answer>', '</answer>'] as const;

export const AGENTS = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay', 'gus', 'hal'] as const;
export const PLACES = ['bag', 'bin', 'box', 'chest', 'drawer', 'jar', 'shelf', 'tin'] as const;
export const OBJECTS = ['ball', 'coin', 'key', 'ring'] as const;

/** One line of the story after the announcement. */
interface SmallLine {
  actor: string;
  act: 'swap' | 'moved' | 'stayed' | 'exited' | 'entered';
  /** Where the object is moved to. */
  place?: string;
  /** Whose contents are swapped. */
  places?: [string, string];
}

/** Plain JSON: all that the story and the question say. */
export interface SmallWorld {
  agents: string[];
  object: string;
  start: string;
  lines: readonly SmallLine[];
  /** The asked-about agents, outermost first; empty for the question after reality. */
  chain: string[];
}

/** What shows where the object is, and to whom. */
export interface SeenEvent {
  /** `start` for the announcement. */
  actor: string;
  /** Where the object is after the event. */
  place: string;
  /** Everybody who saw it, the actor included. */
  witnesses: string[];
}

/** The events of a world in the order in which they happened; the first is the announced start. */
export function smallEvents({ agents, start, lines }: SmallWorld): SeenEvent[] {
  let present = [...agents];
  let place = start;
  const events: SeenEvent[] = [{ actor: 'start', place, witnesses: present }];
  for (const line of lines) {
    if (line.act === 'exited') {
      present = present.filter((agent) => agent !== line.actor);
      continue;
    }
    if (line.act === 'entered') present = [...present, line.actor];
    const [one, other] = line.places ?? [];
    if (one === place) place = other!;
    else if (other === place) place = one!;
    else place = line.place ?? place;
    events.push({ actor: line.actor, place, witnesses: present });
  }
  return events;
}

/** Whether all of the chain saw the event. */
export function isSeenByAll({ witnesses }: SeenEvent, chain: readonly string[]): boolean {
  return chain.every((agent) => witnesses.includes(agent));
}

/** Index of the last event that all of the chain saw together; the start is one, so there always is such an event. */
export function decidingEvent(events: readonly SeenEvent[], chain: readonly string[]): number {
  return events.findLastIndex((event) => isSeenByAll(event, chain));
}

/** Where the chain believes the object to be; for the empty chain, where it is. */
export function smallBelief(world: SmallWorld): string {
  const events = smallEvents(world);
  return events[decidingEvent(events, world.chain)].place;
}

/** The words of a small world by token id: special tokens, tags, the world's own grammar, names. */
export function smallVocabulary(grammar: readonly string[]): string[] {
  return [PAD_TOKEN, END_TOKEN, ...TAGS, ...grammar, ...AGENTS, ...PLACES, ...OBJECTS];
}

export function smallStory({ agents, object, start, lines }: SmallWorld): string {
  const sentences = lines.map(({ actor, act, place, places = [] }) =>
    [actor, act, ...(place === undefined ? places : [place]), '.'].join(' '),
  );
  return [`${agents.join(' ')} entered . ${object} in ${start} .`, ...sentences].join(' ');
}

export function smallQuestion({ chain, object }: Pick<SmallWorld, 'chain' | 'object'>): string {
  if (chain.length === 0) return `where is ${object} ?`;
  return `where does ${chain.map((agent) => `${agent} think`).join(' ')} ${object} ?`;
}

/** The item that asks a world's question. */
export function smallItem(
  dataset: 'nano' | 'swap',
  world: SmallWorld,
  id: string,
  about: Pick<Item, 'shortcuts' | 'traces'>,
): Item {
  const story = smallStory(world);
  return {
    id,
    dataset,
    storyId: storyIdOf(dataset, story),
    story,
    question: smallQuestion(world),
    answer: smallBelief(world),
    order: world.chain.length,
    kind: world.lines.some(({ act }) => act === 'entered') ? 're-entry' : 'plain',
    ...about,
    world,
    training: 'allowed',
  };
}
