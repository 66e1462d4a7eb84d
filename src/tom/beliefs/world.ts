/**
 * Story worlds as plain data: the actions in order. `showings` in `simulate.ts` derives everything else from the
 * actions (where agents and things are, who saw and who heard what).
 *
 * There are two sets of rules because two families of data sets disagree about closed containers:
 *
 * - `open` (Hi-ToM, ToMi): agents in a room know where the things of that room are, so entering shows them. A listener
 * may believe or disbelieve what another agent says.
 * - `closed` (ExploreToM): a container hides its contents from agents who enter. Everything that agents say is true.
 */

export type Rules = 'open' | 'closed';

/** Agents who noticed an action although absent, or missed it although present. */
export interface Attention {
  /** Agents who watched in secret: they know who was present, and no other agent knows about them. */
  peeking?: string[];
  /** Agents who were present and missed the action, while the others believe that they saw it. */
  distracted?: string[];
}

export type Action =
  | { act: 'enter'; who: string[]; room: string }
  | { act: 'exit'; who: string; room: string }
  | { act: 'stay'; who: string; room: string }
  /** The narrator says where a thing is; the agents in its room hear it, by default those in the fullest room. */
  | { act: 'announce'; thing: string; place: string }
  /** To another container in the same room. */
  | { act: 'move'; who: string; thing: string; place: string }
  /** To another room, together with the mover; the thing leaves its container. */
  | { act: 'carry'; who: string; thing: string; room: string }
  | { act: 'change'; who: string; thing: string; state: string }
  /** About a place, a room or a topic. If `to` is null, everybody present is told. */
  | { act: 'tell'; who: string; to: string | null; thing: string; property: Property; value: string }
  | { act: 'noise'; text: string };

/** `place` is a container. A topic has only the value "known". */
export type Property = 'place' | 'room' | 'state' | 'topic';

export type WitnessedAction = Action & Attention;

export interface Question {
  /** The agents whose beliefs are nested, outermost first; empty for reality. */
  chain: string[];
  thing: string;
  property: Property;
  /** The state that the question names, for a question about a state. */
  value?: string;
  /** At the end, at the beginning, or just before the action with that index. */
  when: 'end' | 'beginning' | number;
  /**
   * Form of the answer; `known` means "knows about it" or "does not know about it". `names` lists the agents of the chain
   * who know, each by a first-order belief; its chain holds all people of the story and nests no minds.
   */
  form: 'value' | 'yes-no' | 'known' | 'names';
}

/** Order of the question's belief. */
export function orderOf({ chain, form }: Question): number {
  return form === 'names' ? 1 : chain.length;
}

/** A question whose answer is a value. */
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
