/**
 * The counterfactual of a story: one action changed, everything else as it was, so that the answer must change. A
 * model that tracks beliefs follows; one that answers from habit, or from the rest of the story, does not.
 *
 * Where no action can be changed so (a thing that never leaves the one room of its story, a topic that nobody speaks
 * of), one action is added or taken out instead; and last, a question after a room can have its story in another room,
 * and one after what somebody knows, who was told twice, a story in which nobody tells it.
 */
import { answerFrom, decidingShowing } from '../beliefs/belief';
import { CASES, CONTAINERS, HALLS } from './names';
import { showings } from '../beliefs/simulate';
import type { ToldWorld } from './story-item';
import type { Attention, Question, Rules, WitnessedAction, World } from '../beliefs/world';

/** The world with one action changed, added or taken out so that its question has another answer; null where none does that. */
export function counterfactualOf(world: ToldWorld): ToldWorld | null {
  const shown = showings(world.rules, world.actions);
  const answer = answerFrom(shown, world.question);
  const deciding = decidingShowing(shown, world.question)?.action ?? world.actions.length - 1;
  const nearestFirst = world.actions
    .map((_, index) => index)
    .sort((a, b) => Math.abs(a - deciding - 0.1) - Math.abs(b - deciding - 0.1));
  const kinds = [
    (index: number) => editsOf(world, index).map((changed) => world.actions.with(index, changed)),
    (index: number) => additionsTo(world).map((added) => world.actions.toSpliced(index + 1, 0, added)),
    (index: number) => (isPinned(world.question) ? [] : [world.actions.toSpliced(index, 1)]),
  ];
  for (const changesAt of kinds) {
    for (const index of nearestFirst) {
      for (const actions of changesAt(index)) {
        const other = { ...world, actions: settled(world.rules, actions) };
        if (!isCoherent(other)) continue;
        const changed = answerFrom(showings(other.rules, other.actions), other.question);
        if (changed !== null && changed !== answer) return other;
      }
    }
  }
  if (world.question.property === 'topic') return neverTold(world, answer);
  return world.question.property === 'room' && answer !== null ? inAnotherRoom(world, answer) : null;
}

/** The same story without a word of the topic. */
function neverTold(world: ToldWorld, answer: string | null): ToldWorld | null {
  const actions = world.actions.filter(
    (action) => action.act !== 'tell' || action.thing !== world.question.thing,
  );
  const changed = answerFrom(showings(world.rules, actions), world.question);
  return changed === answer ? null : { ...world, actions };
}

/** The same story with another room in the place of the one that was the answer. */
function inAnotherRoom(world: ToldWorld, answer: string): ToldWorld {
  const rooms = roomsIn(world.actions);
  const elsewhere = HALLS.find((room) => !rooms.includes(room))!;
  const actions = world.actions.map((action): WitnessedAction => {
    if ('room' in action && action.room === answer) return { ...action, room: elsewhere };
    if (action.act === 'tell' && action.value === answer) return { ...action, value: elsewhere };
    return action;
  });
  return { ...world, actions };
}

/** A question that names an action of the story cannot have the actions before it move up or down. */
function isPinned({ when, property }: Question): boolean {
  return typeof when === 'number' || property === 'state';
}

/** What else might have happened: the thing carried or moved on, or the topic told. */
function additionsTo({ actions, rules, question }: World): WitnessedAction[] {
  if (rules === 'open' || isPinned(question)) return [];
  const { thing, property, chain } = question;
  // Somebody may be asked about who never did a thing.
  const agents = [...new Set([...agentsIn(actions), ...chain])];
  if (property === 'topic') {
    return agents.flatMap((who) =>
      agents
        .filter((to) => to !== who)
        .map((to): WitnessedAction => ({ act: 'tell', who, to, thing, property, value: 'known' })),
    );
  }
  const rooms = roomsIn(actions);
  const elsewhere = HALLS.find((room) => !rooms.includes(room))!;
  return agents.flatMap((who) => [
    ...[...rooms, elsewhere].map((room): WitnessedAction => ({ act: 'carry', who, thing, room })),
    ...placesFor(rules, actions).map((place): WitnessedAction => ({ act: 'move', who, thing, place })),
  ]);
}

/** What else might have been done, told or noticed at that point. */
function editsOf({ actions, rules, question }: World, index: number): WitnessedAction[] {
  const action = actions[index];
  const places = placesFor(rules, actions);
  const rooms = roomsIn(actions);
  switch (action.act) {
    case 'announce':
      return places.map((place) => ({ ...action, place }));
    case 'move':
      return [
        ...places.map((place) => ({ ...action, place })),
        ...noticedOtherwise(rules, action, question.chain),
      ];
    case 'tell': {
      const values = rules === 'closed' ? [] : places;
      const listeners = rules === 'closed' ? agentsIn(actions) : [];
      return [
        ...values.map((value) => ({ ...action, value })),
        ...listeners.map((to) => ({ ...action, to })),
      ];
    }
    case 'carry':
      return rooms.map((room) => ({ ...action, room }));
    case 'change':
      return noticedOtherwise(rules, action, question.chain);
    case 'enter':
    case 'exit':
    case 'stay':
    case 'noise':
      return [];
  }
}

function noticedOtherwise(
  rules: Rules,
  action: WitnessedAction,
  chain: readonly string[],
): WitnessedAction[] {
  if (rules === 'open') return [];
  const noticed = (attention: Attention): WitnessedAction => {
    return { ...action, peeking: undefined, distracted: undefined, ...attention };
  };
  return [
    noticed({}),
    ...chain.flatMap((agent) => [noticed({ peeking: [agent] }), noticed({ distracted: [agent] })]),
  ];
}

/** The containers of the story, and one more. */
function placesFor(rules: Rules, actions: readonly WitnessedAction[]): string[] {
  const used = new Set(actions.flatMap((action) => ('place' in action ? [action.place] : [])));
  const unused = (rules === 'open' ? CONTAINERS : CASES).find((container) => !used.has(container))!;
  return [...used, unused];
}

function roomsIn(actions: readonly WitnessedAction[]): string[] {
  return [...new Set(actions.flatMap((action) => ('room' in action ? [action.room] : [])))];
}

function agentsIn(actions: readonly WitnessedAction[]): string[] {
  return [...new Set(actions.flatMap((action) => ('who' in action ? action.who : [])))];
}

/** After a change, what is announced again and, where all that is told is true, what is told follow where things are. */
function settled(rules: Rules, actions: readonly WitnessedAction[]): WitnessedAction[] {
  const places = new Map<string, string>();
  return actions.map((action) => {
    switch (action.act) {
      case 'move':
        places.set(action.thing, action.place);
        return action;
      case 'announce': {
        const place = places.get(action.thing) ?? action.place;
        places.set(action.thing, place);
        return { ...action, place };
      }
      case 'tell':
        return rules === 'closed' && action.property === 'place'
          ? { ...action, value: places.get(action.thing) ?? action.value }
          : action;
      case 'enter':
      case 'exit':
      case 'stay':
      case 'carry':
      case 'change':
      case 'noise':
        return action;
    }
  });
}

/**
 * Whether a story makes sense: whoever acts is where the thing is, nobody leaves a room she is not in, nothing is moved
 * to where it lies, no container stands in two rooms, who peeks is outside and who is distracted is inside, and under
 * the closed rules all that is told is true.
 */
function isCoherent({ rules, actions }: World): boolean {
  const rooms = new Map<string, string>();
  const containers = new Map<string, string>();
  const things = new Map<string, { room: string; place: string | null }>();
  let lastRoom = '';
  const put = (thing: string, room: string, place: string): boolean => {
    things.set(thing, { room, place });
    const stands = containers.get(place) ?? room;
    containers.set(place, room);
    return stands === room;
  };
  return actions.every((action) => {
    const noticed = (room: string | undefined): boolean =>
      (action.peeking ?? []).every((agent) => rooms.get(agent) !== room) &&
      (action.distracted ?? []).every((agent) => rooms.get(agent) === room) &&
      !(
        'who' in action &&
        [...(action.peeking ?? []), ...(action.distracted ?? [])].includes(String(action.who))
      );
    switch (action.act) {
      case 'enter':
        if (rules === 'closed' && action.who.some((agent) => rooms.has(agent))) return false;
        action.who.forEach((agent) => rooms.set(agent, action.room));
        lastRoom = action.room;
        return true;
      case 'exit':
        return rooms.get(action.who) === action.room && rooms.delete(action.who);
      case 'announce':
        return put(action.thing, lastRoom, action.place);
      case 'move': {
        const room = rooms.get(action.who);
        const thing = things.get(action.thing);
        if (room === undefined || thing?.place === action.place || (thing && thing.room !== room))
          return false;
        return put(action.thing, room, action.place) && noticed(room);
      }
      case 'carry': {
        const from = rooms.get(action.who);
        const possible = from === things.get(action.thing)?.room && from !== action.room;
        rooms.set(action.who, action.room);
        things.set(action.thing, { room: action.room, place: null });
        return possible;
      }
      case 'change':
        return rooms.has(action.who) && noticed(rooms.get(action.who));
      case 'stay':
        return rooms.get(action.who) === action.room;
      case 'tell': {
        if (action.to === action.who) return false;
        if (rules === 'open' || action.property === 'topic') return true;
        const thing = things.get(action.thing);
        return (action.property === 'place' ? thing?.place : thing?.room) === action.value;
      }
      case 'noise':
        return true;
    }
  });
}
