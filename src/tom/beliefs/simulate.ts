/**
 * The exact simulator: computes from a list of actions which facts each action showed to which agents.
 *
 * A showing says "this thing has this property now" and reaches some chains of agents. The belief of a chain ("A thinks
 * that B thinks …") about a thing is the value of the last showing that reached the chain. The empty chain is reality:
 * every showing of a real change reaches it. One rule decides who is reached, for every action except telling under the
 * open rules:
 *
 *     a chain is reached if its first agent noticed the action and the others in the room believe that the rest of the chain noticed it
 *
 * Without peeking or distraction, an agent notices an action if it is in the room. This is Hi-ToM's rule: entering, an
 * announced place and a move update every ordered tuple of distinct agents who are together; leaving stops the updates.
 *
 * Telling under the open rules (Hi-ToM): Y believes X if Y was not in this chapter's room or left it before X. A
 * believed public claim by s reaches (b), (b,s) and (s,b); a disbelieved one only (s,b). A private claim always reaches
 * (s,y), and also (y) and (y,s) if believed. Telling leaves reality, the teller's own belief and all beliefs of order 3
 * and above unchanged.
 *
 * Left out: ExploreToM's tracker also updates what a distracted agent thinks that others think, which contradicts its
 * own text. `docs/tasks.md` counts the labels that differ.
 */
import type { Attention, Property, Rules, WitnessedAction } from './world';

export interface Showing {
  /** Index of the action. */
  action: number;
  thing: string;
  property: Property;
  /** Null if the action shows only that the old value no longer holds. */
  value: string | null;
  real: boolean;
  reaches(chain: readonly string[]): boolean;
}

interface Thing {
  room: string | null;
  place: string | null;
}

/** A chapter of Hi-ToM: the events in one room after a thing's place was announced there. */
interface Chapter {
  room: string;
  entered: string[];
  left: string[];
}

interface State {
  rules: Rules;
  rooms: Map<string, string>;
  things: Map<string, Thing>;
  chapter: Chapter;
  lastRoom: string;
  roomsEntered: Set<string>;
}

export function showings(rules: Rules, actions: readonly WitnessedAction[]): Showing[] {
  const state: State = {
    rules,
    rooms: new Map(),
    things: new Map(),
    chapter: { room: '', entered: [], left: [] },
    lastRoom: '',
    roomsEntered: new Set(),
  };
  return actions.flatMap((action, index) =>
    perform(state, action).map(([thing, property, value, reaches]) => {
      return { action: index, thing, property, value, real: action.act !== 'tell', reaches };
    }),
  );
}

/** True if a showing reaches a chain of agents, outermost first. */
type Reach = (chain: readonly string[]) => boolean;
type Shown = [thing: string, property: Property, value: string | null, reaches: Reach];

/** Applies an action to the state. @returns the facts that it shows to agents */
function perform(state: State, action: WitnessedAction): Shown[] {
  switch (action.act) {
    case 'enter':
      return enter(state, action.who, action.room, action);
    case 'exit':
      state.rooms.delete(action.who);
      if (action.room === state.chapter.room) state.chapter.left.push(action.who);
      return [];
    case 'announce': {
      const thing = thingOf(state, action.thing);
      const named = state.roomsEntered.has(action.place)
        ? action.place
        : state.things.get(action.place)?.room;
      const room = named ?? fullestRoom(state);
      const present = peopleIn(state, room);
      const reach = noticing(present, action);
      state.chapter = { room, entered: present, left: [] };
      thing.room = room;
      const roomShown: Shown = [action.thing, 'room', room, reach];
      if (room === action.place) return [roomShown];
      thing.place = action.place;
      return [[action.thing, 'place', action.place, reach], roomShown];
    }
    case 'move': {
      const room = roomOf(state, action.who);
      const reach = noticing(peopleIn(state, room), action);
      Object.assign(thingOf(state, action.thing), { room, place: action.place });
      thingOf(state, action.place).room = room;
      return [
        [action.thing, 'place', action.place, reach],
        [action.thing, 'room', room, reach],
        [action.place, 'room', room, reach],
      ];
    }
    case 'carry': {
      const thing = thingOf(state, action.thing);
      const there = noticing(peopleIn(state, roomOf(state, action.who)), action);
      Object.assign(thing, { room: action.room, place: null });
      const contents = [...state.things].filter(([, { place }]) => place === action.thing);
      for (const [, inside] of contents) inside.room = action.room;
      return [
        [action.thing, 'place', null, there],
        [action.thing, 'room', null, there],
        // Nobody is shown where the contents are now, not even the mover, who may not know them.
        ...contents.flatMap(([inside]): Shown[] => [
          [inside, 'room', null, there],
          [inside, 'room', action.room, noticing([], {})],
        ]),
        ...enter(state, [action.who], action.room, action),
      ];
    }
    case 'change': {
      const room = roomOf(state, action.who);
      const reach = noticing(peopleIn(state, room), action);
      thingOf(state, action.thing).room = room;
      return [
        [action.thing, 'state', action.state, reach],
        [action.thing, 'room', room, reach],
      ];
    }
    case 'tell': {
      const listeners =
        action.to === null ? peopleIn(state, state.rooms.get(action.who) ?? '') : [action.who, action.to];
      const reach =
        state.rules === 'closed'
          ? noticing(listeners, action)
          : telling(state.chapter, action.who, listeners);
      return [[action.thing, action.property, action.value, reach]];
    }
    case 'stay':
    case 'noise':
      return [];
  }
}

function enter(state: State, who: readonly string[], room: string, attention: Attention): Shown[] {
  for (const agent of who) state.rooms.set(agent, room);
  state.lastRoom = room;
  state.roomsEntered.add(room);
  const reach = noticing(peopleIn(state, room), attention);
  const entryShowings: Shown[] = [];
  for (const [name, thing] of state.things) {
    if (thing.room !== room) continue;
    const visible = thing.place === null || state.rules === 'open';
    if (visible && thing.place !== null) entryShowings.push([name, 'place', thing.place, reach]);
    if (visible) entryShowings.push([name, 'room', room, reach]);
  }
  return entryShowings;
}

function noticing(present: readonly string[], { peeking = [], distracted = [] }: Attention): Reach {
  return ([first, ...others]) => {
    if (first === undefined) return true;
    const noticed = (present.includes(first) && !distracted.includes(first)) || peeking.includes(first);
    return noticed && others.every((agent) => present.includes(agent));
  };
}

function telling(chapter: Chapter, teller: string, listeners: readonly string[]): Reach {
  const { entered, left } = chapter;
  const leaving = (agent: string): number => (left.includes(agent) ? left.indexOf(agent) : Infinity);
  const believes = (agent: string): boolean => !entered.includes(agent) || leaving(agent) < leaving(teller);
  const hears = (agent: string | undefined): agent is string =>
    agent !== undefined && agent !== teller && listeners.includes(agent);
  return ([first, second, ...others]) => {
    if (others.length > 0 || first === undefined) return false;
    if (first === teller) return hears(second);
    if (!hears(first) || !believes(first)) return false;
    return second === undefined || second === teller;
  };
}

/** The room where an agent acts: its own, and of an agent in no room the one entered last. */
function roomOf(state: State, agent: string): string {
  return state.rooms.get(agent) ?? state.lastRoom;
}

function peopleIn(state: State, room: string): string[] {
  const people: string[] = [];
  for (const [agent, where] of state.rooms) if (where === room) people.push(agent);
  return people;
}

/** The room of an announcement if the story does not name it: the fullest one, and on a tie the one entered last. */
function fullestRoom(state: State): string {
  const rooms = [state.lastRoom, ...state.rooms.values()];
  return rooms.reduce((best, room) =>
    peopleIn(state, room).length > peopleIn(state, best).length ? room : best,
  );
}

function thingOf(state: State, name: string): Thing {
  const known = state.things.get(name) ?? { room: null, place: null };
  state.things.set(name, known);
  return known;
}
