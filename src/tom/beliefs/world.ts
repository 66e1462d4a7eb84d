/**
 * The story worlds as plain data: what was done, in order. Everything else (who is where, what is where, who saw what,
 * who was told what) follows from the actions by `showings` in `simulate.ts`.
 *
 * Two sets of rules, because two families of data sets disagree about closed containers:
 *
 * - `open` (Hi-ToM, ToMi): whoever is in a room knows where the things of that room are, so coming in shows them; what
 *   one is told is believed or not.
 * - `closed` (ExploreToM): a container hides what is in it from those who come in; what one is told is always true.
 */

export type Rules = 'open' | 'closed';

/** Who noticed an action besides or instead of those present. */
export interface Attention {
  /** Saw it in secret: knows who was there, but nobody knows of them. */
  peeking?: string[];
  /** Was there and missed it, while the others believe that they saw it. */
  distracted?: string[];
}

export type Action =
  | { act: 'enter'; who: string[]; room: string }
  | { act: 'exit'; who: string; room: string }
  | { act: 'stay'; who: string; room: string }
  /** The narrator says where a thing is, to all who are in the room where most people are. */
  | { act: 'announce'; thing: string; place: string }
  /** To another container of the same room. */
  | { act: 'move'; who: string; thing: string; place: string }
  /** To another room, where the mover goes as well; the thing leaves its container. */
  | { act: 'carry'; who: string; thing: string; room: string }
  | { act: 'change'; who: string; thing: string; state: string }
  /** `to` is null when all who are there are told. With a place or a room, or about a topic. */
  | { act: 'tell'; who: string; to: string | null; thing: string; property: Property; value: string }
  | { act: 'noise'; text: string };

/** `place` is a container; a topic is known (`value` "known") or not. */
export type Property = 'place' | 'room' | 'state' | 'topic';

export type WitnessedAction = Action & Attention;

export interface Question {
  /** Whose mind, outermost first; empty for what is so. */
  chain: string[];
  thing: string;
  property: Property;
  /** The state that a question after a state names. */
  value?: string;
  /** At the end, at the beginning, or just before the action of that index. */
  when: 'end' | 'beginning' | number;
  /**
   * How the answer is to be put; `known` is "knows about it" or "does not know about it". `names` lists those of the chain
   * who know, each by a belief of the first order: there the chain is all the people of the story and nests no minds.
   */
  form: 'value' | 'yes-no' | 'known' | 'names';
}

/** Order of the belief asked for. */
export function orderOf({ chain, form }: Question): number {
  return form === 'names' ? 1 : chain.length;
}

/** Asks for a value. */
export function asking(
  chain: string[],
  thing: string,
  property: Property = 'place',
  when: Question['when'] = 'end',
): Question {
  return { chain, thing, property, when, form: 'value' };
}

export interface World {
  rules: Rules;
  actions: WitnessedAction[];
  question: Question;
}
