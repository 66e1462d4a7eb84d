/**
 * Stories by Hi-ToM's recipe (Wu et al. 2023, Apache-2.0; our own words): five agents, three rooms, six objects (two a
 * room), fifteen containers (five a room); one to three chapters, with or without telling; a line of noise before every
 * tenth line.
 *
 * A chapter: some agents enter a room together and an object's place is announced. Each agent in turn moves the object
 * to a new container (half the time) or stays, and exits; a fifth agent moves it back to the announced place. They meet
 * in the waiting room, where with telling a public claim, a private claim or both follow. Choices are left out, as in
 * ToM-RL: the letters of the original's fifteen choices leak the answer.
 */
import type { Random } from '../../base/random';
import type { Item } from '../item';
import { drawWords, ownWords, publishedWords, type HiTomWords } from './words';
import { compactPrompt } from '../text/prompts';
import { openItem } from './story-item';
import { asking, type Question, type WitnessedAction } from '../beliefs/world';

interface Cast {
  words: HiTomWords;
  agents: string[];
  rooms: string[];
  /** Per room. */
  containers: string[][];
  /** Current location of each object: the room's index and the container. */
  objects: Map<string, { room: number; place: string }>;
}

/** The chapters of a story: number of agents, and whether telling may follow. */
type Plan = readonly { agents: number; telling: boolean }[];

const PLANS: readonly Plan[] = [
  [{ agents: 5, telling: true }],
  [
    { agents: 5, telling: false },
    { agents: 3, telling: true },
  ],
  [
    { agents: 5, telling: true },
    { agents: 3, telling: false },
    { agents: 4, telling: true },
  ],
];
const WAITING_ROOM = 'waiting_room';
const NOISE_PROBABILITY = 0.1;

/** Maximum number of words and punctuation marks in a short prompt, up to and including the pre-filled `<think>`. */
const SHORT_PROMPT = 140;

/** A story of one to three chapters and a question of the given order (0 to 4). */
export function drawHiTomItem(random: Random, order: number, id: string): Item {
  return drawItem(random, order, id, PLANS, ownWords);
}

/** A story of one chapter in the words of the published stories, with a prompt of at most `SHORT_PROMPT` tokens. */
export function drawShortHiTomItem(random: Random, order: number, id: string): Item {
  for (;;) {
    const item = drawItem(random, order, id, PLANS.slice(0, 1), publishedWords);
    if (hiTomTokens(compactPrompt(item)).length <= SHORT_PROMPT) return item;
  }
}

function drawItem(
  random: Random,
  order: number,
  id: string,
  plans: readonly Plan[],
  words: HiTomWords,
): Item {
  const cast = drawCast(random, words);
  const plan = random.choice(plans);
  const isTold = random.uniform() < 0.5;
  const actions: WitnessedAction[] = [];
  const thing = random.choice([...cast.objects.keys()]);
  plan.forEach(({ agents, telling }, chapter) => {
    const object = chapter === 0 ? thing : random.choice([...cast.objects.keys()]);
    const there = random.sample(cast.agents, agents);
    actions.push(...drawChapter(random, cast, object, there));
    if (isTold && telling) actions.push(...drawTelling(random, cast, object, there));
  });
  const question = asking(random.sample(cast.agents, 4).slice(0, order), thing);
  const kind = `length-${plan.length} ${isTold ? 'told' : 'untold'}`;
  return openItem(withNoise(random, cast, actions), question, askHiTom(question), {
    dataset: 'hitom',
    kind,
    id,
  });
}

function askHiTom({ chain, thing }: Question): string {
  if (chain.length === 0) return `Where is the ${thing} really?`;
  if (chain.length === 1) return `Where does ${chain[0]} really think the ${thing} is?`;
  return `Where does ${chain.map((agent, index) => `${agent} ${index === 0 ? 'think' : 'thinks'}`).join(' ')} the ${thing} is?`;
}

function drawCast(random: Random, words: HiTomWords): Cast {
  const containers = drawWords(random, words.containers, 15);
  const food = drawWords(random, words.food, 6);
  const byRoom = [0, 1, 2].map((room) => containers.slice(5 * room, 5 * room + 5));
  const objects = food.map((name, index): [string, { room: number; place: string }] => {
    const room = Math.floor(index / 2);
    return [name, { room, place: byRoom[room][index % 2] }];
  });
  return {
    words,
    agents: drawWords(random, words.people, 5),
    rooms: drawWords(random, words.rooms, 3),
    containers: byRoom,
    objects: new Map(objects),
  };
}

function drawChapter(random: Random, cast: Cast, thing: string, there: readonly string[]): WitnessedAction[] {
  const object = cast.objects.get(thing)!;
  const room = cast.rooms[object.room];
  const first = object.place;
  const places = random.shuffle(cast.containers[object.room].filter((container) => container !== first));
  const actions: WitnessedAction[] = [
    { act: 'enter', who: [...there], room },
    { act: 'announce', thing, place: first },
  ];
  there.forEach((who, turn) => {
    const place = places[turn] ?? first;
    const moves = random.uniform() < 0.5 && place !== object.place;
    if (moves) object.place = place;
    actions.push(moves ? { act: 'move', who, thing, place } : { act: 'stay', who, room });
    actions.push({ act: 'exit', who, room });
  });
  return [...actions, { act: 'enter', who: [...there], room: WAITING_ROOM }];
}

function drawTelling(random: Random, cast: Cast, thing: string, there: readonly string[]): WitnessedAction[] {
  const [first, second] = random.sample(there, 2);
  const tell = (who: string, to: string | null): WitnessedAction => {
    return { act: 'tell', who, to, thing, property: 'place', value: random.choice(cast.containers.flat()) };
  };
  const forms = [
    () => [tell(first, null)],
    () => [tell(first, second)],
    () => [tell(first, null), tell(second, first)],
  ];
  return random.choice(forms)();
}

function withNoise(random: Random, cast: Cast, actions: readonly WitnessedAction[]): WitnessedAction[] {
  return actions.flatMap((action) => {
    if (random.uniform() >= NOISE_PROBABILITY) return [action];
    const who = random.choice(cast.agents);
    const text = random.choice([
      ...cast.words.incidents.map((incidents) => () => `${who} ${random.choice(incidents)}`),
      () => `${who} likes the ${random.choice(cast.containers.flat())}`,
      () => `${who} dislikes the ${random.choice([...cast.objects.keys()])}`,
    ])();
    return [{ act: 'noise', text }, action];
  });
}

/** Splits a text into words and marks, including those outside the vocabulary. */
export function hiTomTokens(text: string): string[] {
  return text.match(/[^\s.,?:]+|[.,?:]/g) ?? [];
}
