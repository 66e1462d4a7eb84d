/**
 * Stories with ExploreToM's actions (Sclar et al. 2024; our own words and generator): people move between two rooms,
 * move things to containers and between rooms, change their state, and tell each other things privately or aloud. A
 * person may watch a move or a change in secret, or miss it through distraction. Everything told is true. Questions ask for
 * a container or a room; the original's knowledge questions ("does X know about …") are left out.
 */
import type { Random } from '../../base/random';
import { decidingShowing } from '../beliefs/belief';
import type { Item } from '../item';
import { CASES, CHANGES, HALLS, PEOPLE, THINGS, TOPICS, drawWords } from './words';
import { showings } from '../beliefs/simulate';
import { storyItem, type ToldWorld } from './story-item';
import type { Telling } from '../text/story-text';
import { asking, type Property, type Question, type WitnessedAction } from '../beliefs/world';

interface Stage {
  agents: string[];
  rooms: string[];
  /** Three in the first room, then three in the second. */
  cases: string[];
  thing: string;
  topic: string;
  actions: WitnessedAction[];
  whereabouts: Map<string, string>;
  /** Current container of the thing; null after it was carried to another room. */
  place: string | null;
  room: string;
}

const LEAST_ACTIONS = 6;
const MOST_ACTIONS = 10;
const ATTENTION_PROBABILITY = 0.2;

/** A story and a question of order 0 (memory or reality), 1 or 2. */
export function drawExploreToMItem(random: Random, order: number, id: string, infilled: boolean): Item {
  const dataset = infilled ? 'exploretom-infilled' : 'exploretom';
  for (;;) {
    const stage = drawStory(random);
    const question = drawQuestion(random, stage, order);
    const item = storyItem(worldOf(random, stage, question, infilled), dataset, kindOf(question), id);
    if (item !== null) return item;
  }
}

function askExploreToM(question: Question, before: string): string {
  const { chain, thing, property, when } = question;
  const [first, second] = chain;
  const where = property === 'room' ? 'In which room' : 'In which container';
  if (chain.length === 1) return `${where} will ${first} search for the ${thing}?`;
  if (chain.length === 2) return `${where} does ${first} think that ${second} will search for the ${thing}?`;
  if (when === 'end') return `${where} is the ${thing} now?`;
  return when === 'beginning'
    ? `${where} was the ${thing} at the beginning?`
    : `${where} was the ${thing} before ${before}?`;
}

function worldOf(random: Random, { actions }: Stage, question: Question, infilled: boolean): ToldWorld {
  const telling: Telling = infilled
    ? { style: 'infilled', salt: random.integer(1000) }
    : { style: 'sentences' };
  const before = typeof question.when === 'number' ? moveText(actions[question.when]) : '';
  return { rules: 'closed', actions, question, telling, asked: askExploreToM(question, before) };
}

function moveText(action: WitnessedAction): string {
  return action.act === 'move' ? `${action.who} moved the ${action.thing} to the ${action.place}` : '';
}

function kindOf({ chain, when }: Question): string {
  if (chain.length > 0) return chain.length === 1 ? 'first_order' : 'second_order';
  return when === 'end' ? 'reality' : when === 'beginning' ? 'memory' : 'memory_before_event';
}

function drawQuestion(random: Random, stage: Stage, order: number): Question {
  const property: Property = random.uniform() < 0.8 ? 'place' : 'room';
  const question = asking(random.sample(stage.agents, order), stage.thing, property);
  if (order > 0) return question;
  const moves = lastMoves(stage.actions);
  const events =
    property === 'place' && moves.length > 1
      ? (['end', 'beginning', random.choice(moves.slice(1))] as const)
      : (['end', 'beginning'] as const);
  return { ...question, when: random.choice<Question['when']>(events) };
}

/** Moves that a sentence identifies uniquely: the last of those with the same wording. */
function lastMoves(actions: readonly WitnessedAction[]): number[] {
  const last = new Map<string, number>();
  actions.forEach((action, index) => {
    if (action.act === 'move') last.set(`${action.who} ${action.place}`, index);
  });
  return [...last.values()].sort((a, b) => a - b);
}

function drawStory(random: Random): Stage {
  const agents = drawWords(random, PEOPLE, 3);
  const rooms = drawWords(random, HALLS, 2);
  const cases = drawWords(random, CASES, 6);
  const [first] = agents;
  const thing = random.choice(THINGS);
  const stage: Stage = {
    agents,
    rooms,
    cases,
    thing,
    topic: random.choice(TOPICS),
    actions: [
      { act: 'enter', who: [first], room: rooms[0] },
      { act: 'move', who: first, thing, place: cases[0] },
    ],
    whereabouts: new Map([[first, rooms[0]]]),
    place: cases[0],
    room: rooms[0],
  };
  const length = LEAST_ACTIONS + random.integer(MOST_ACTIONS - LEAST_ACTIONS + 1);
  while (stage.actions.length < length) {
    const action = drawAction(random, stage);
    if (action !== null) stage.actions.push(withAttention(random, stage, action));
  }
  return stage;
}

/** Draws the next action and applies it to the stage; null if the drawn kind is impossible. */
function drawAction(random: Random, stage: Stage): WitnessedAction | null {
  const who = random.choice(stage.agents);
  const room = stage.whereabouts.get(who);
  if (room === undefined) {
    // An agent who stays away for a while acquires a false belief.
    if (stage.whereabouts.size > 0 && random.uniform() < 0.5) return null;
    const into = random.uniform() < 0.8 ? stage.room : random.choice(stage.rooms);
    stage.whereabouts.set(who, into);
    return { act: 'enter', who: [who], room: into };
  }
  const kind = random.uniform();
  if (kind < 0.3) {
    stage.whereabouts.delete(who);
    return { act: 'exit', who, room };
  }
  if (kind < 0.42) {
    const telling = drawTelling(random, stage, who, room);
    const same = JSON.stringify(telling);
    return stage.actions.some((action) => JSON.stringify(action) === same) ? null : telling;
  }
  if (room !== stage.room) return null;
  if (kind < 0.5) {
    const state = random.choice(CHANGES).replace('{}', stage.thing);
    // The same change by two people would make the question ambiguous.
    const done = stage.actions.some((action) => action.act === 'change' && action.state === state);
    return done ? null : { act: 'change', who, thing: stage.thing, state };
  }
  if (kind < 0.58) {
    const other = stage.rooms.find((candidate) => candidate !== room)!;
    stage.whereabouts.set(who, other);
    Object.assign(stage, { room: other, place: null });
    return { act: 'carry', who, thing: stage.thing, room: other };
  }
  const here = room === stage.rooms[0] ? stage.cases.slice(0, 3) : stage.cases.slice(3);
  const place = random.choice(here.filter((container) => container !== stage.place));
  stage.place = place;
  return { act: 'move', who, thing: stage.thing, place };
}

/** Aloud to everybody present, or to one agent anywhere; about the topic, or about the thing's true place. */
function drawTelling(random: Random, stage: Stage, who: string, room: string): WitnessedAction | null {
  const present = stage.agents.filter((agent) => agent !== who && stage.whereabouts.get(agent) === room);
  const to =
    random.uniform() < 0.6 || present.length === 0
      ? random.choice(stage.agents.filter((agent) => agent !== who))
      : null;
  if (random.uniform() < 0.3)
    return { act: 'tell', who, to, thing: stage.topic, property: 'topic', value: 'known' };
  const allShowings = showings('closed', stage.actions);
  const property: Property = random.uniform() < 0.8 ? 'place' : 'room';
  const value = property === 'place' ? stage.place : stage.room;
  const known = decidingShowing(allShowings, asking([who], stage.thing, property))?.value;
  return value !== null && known === value
    ? { act: 'tell', who, to, thing: stage.thing, property, value }
    : null;
}

/** Adds an agent outside who peeks, or an agent inside who is distracted. */
function withAttention(random: Random, stage: Stage, action: WitnessedAction): WitnessedAction {
  if ((action.act !== 'move' && action.act !== 'change') || random.uniform() >= ATTENTION_PROBABILITY)
    return action;
  const others = stage.agents.filter((agent) => agent !== action.who);
  const [inside, outside] = [true, false].map((here) => {
    return others.filter((agent) => (stage.whereabouts.get(agent) === stage.room) === here);
  });
  if (outside.length > 0 && (inside.length === 0 || random.uniform() < 0.6))
    return { ...action, peeking: [random.choice(outside)] };
  return { ...action, distracted: [random.choice(inside)] };
}
