/**
 * False-belief stories for small pretrained language models: a few people in one room, one thing, and several
 * containers with one-word names. The thing is moved several times, and up to two people leave. The question asks where
 * one person thinks that the thing is, or where one person thinks that another thinks that it is.
 *
 * The shortcut `first-place` answers with the first container. The setting rho is the exact probability that it is
 * right:
 *
 *     easy   an agent of the question leaves before the first move, so the belief is the first container
 *     hard   every agent of the question sees at least one move, and the belief is another container
 */
import type { Random } from '../../base/random';
import type { Item } from '../item';
import { showings } from '../beliefs/simulate';
import { briefTraces } from '../beliefs/traces';
import { asking, type Question, type WitnessedAction } from '../beliefs/world';
import type { roomsDefaults } from './orders';
import { openItem } from './story-item';
import { drawWords, KEEPSAKES, PLAIN_CONTAINERS, publishedWords, ROOMS } from './words';

export type RoomsDials = Record<keyof typeof roomsDefaults, number>;

const PLAIN_ROOMS = ROOMS.filter((room) => !room.includes('_'));

/** A story and a question of order 1 or 2. */
export function drawRoomsItem(random: Random, order: number, id: string, dials: RoomsDials): Item {
  const kind = random.uniform() < dials.rho ? 'easy' : 'hard';
  for (;;) {
    const { people, thing, places, actions } = drawStory(random, order, kind, dials);
    const question = asking(people.slice(0, order), thing);
    const telling = { dataset: 'rooms', kind, id, style: 'sentences' } as const;
    const item = openItem(actions, question, askRooms(question), telling);
    if ((item.answer === places[0]) !== (kind === 'easy')) continue;
    return {
      ...item,
      shortcut: places[0],
      traces: briefTraces({ rules: 'open', actions, question }, showings('open', actions), item.answer),
    };
  }
}

function askRooms({ chain, thing }: Question): string {
  const [first, second] = chain;
  return `Where does ${first} think ${second === undefined ? '' : `${second} thinks `}the ${thing} is?`;
}

/** The first `order` people are the agents of the question. The first place is the initial one. */
function drawStory(random: Random, order: number, kind: 'easy' | 'hard', dials: RoomsDials) {
  const people = drawWords(random, publishedWords.people, dials.people);
  const places = drawWords(random, PLAIN_CONTAINERS, dials.containers);
  const thing = random.choice(KEEPSAKES);
  const room = random.choice(PLAIN_ROOMS);
  const leaver = random.choice(people.slice(0, order));
  const others = people.filter((person) => person !== leaver);
  const leaving = [
    { who: leaver, after: kind === 'easy' ? 0 : 1 + random.integer(dials.moves) },
    // At least one person stays.
    ...(others.length < 2 ? [] : [{ who: random.choice(others), after: random.integer(dials.moves + 1) }]),
  ];
  const actions: WitnessedAction[] = [
    { act: 'enter', who: random.shuffle(people), room },
    { act: 'announce', thing, place: places[0] },
  ];
  let present = people;
  let place = places[0];
  for (let move = 0; move <= dials.moves; move++) {
    for (const { who } of random.shuffle(leaving).filter(({ after }) => after === move)) {
      actions.push({ act: 'exit', who, room });
      present = present.filter((person) => person !== who);
    }
    if (move === dials.moves) break;
    place = random.choice(places.filter((other) => other !== place));
    actions.push({ act: 'move', who: random.choice(present), thing, place });
  }
  return { people, thing, places, actions };
}
