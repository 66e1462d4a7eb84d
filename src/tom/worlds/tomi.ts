/**
 * Stories in the style of ToMi (Le, Boureau and Nickel 2019; our own words and generator): two agents meet in a room
 * with a thing, one of them leaves and may come back, the thing is moved, and a third agent may come in. Questions ask
 * about memory, reality, or the first- or second-order belief of the first two agents. Labels follow plain tracking;
 * ToMi's own second-order labels are wrong if a third agent comes in late.
 */
import type { Random } from '../../base/random';
import type { Item } from '../item';
import { CONTAINERS, FOOD, PEOPLE, ROOMS, drawWords } from './words';
import { openItem } from './story-item';
import { asking, type Question, type WitnessedAction } from '../beliefs/world';

/** Events after the announcement. */
type Beat = 'move' | 'leave' | 'return' | 'move on' | 'mover leaves' | 'third comes' | 'third leaves';

const PLOTS: readonly (readonly Beat[])[] = [
  ['leave', 'move'],
  ['move', 'leave'],
  ['leave', 'return', 'move'],
  ['leave', 'move on', 'move'],
  ['leave', 'move', 'mover leaves', 'return'],
  ['leave', 'move', 'mover leaves', 'move on'],
  ['leave', 'move', 'return'],
  ['move', 'leave', 'mover leaves', 'return'],
];
const NOISE_PROBABILITY = 0.1;

/** A story and a question of order 0 (memory or reality), 1 or 2. */
export function drawToMiItem(random: Random, order: number, id: string): Item {
  const agents = drawWords(random, PEOPLE, 3);
  const [room, elsewhere] = drawWords(random, ROOMS, 2);
  const [first, second] = drawWords(random, CONTAINERS, 2);
  const thing = random.choice(FOOD);
  const [mover, leaver, third] = agents;
  const beats: Record<Beat, WitnessedAction> = {
    move: { act: 'move', who: mover, thing, place: second },
    leave: { act: 'exit', who: leaver, room },
    return: { act: 'enter', who: [leaver], room },
    'move on': { act: 'enter', who: [leaver], room: elsewhere },
    'mover leaves': { act: 'exit', who: mover, room },
    'third comes': { act: 'enter', who: [third], room },
    'third leaves': { act: 'exit', who: third, room },
  };
  const arriving = random.shuffle(agents.slice(0, 2));
  const actions: WitnessedAction[] = [
    ...arriving.map((who): WitnessedAction => ({ act: 'enter', who: [who], room })),
    { act: 'announce', thing, place: first },
    ...drawPlot(random).map((beat) => beats[beat]),
  ];
  const chain = random.shuffle(agents.slice(0, 2)).slice(0, order);
  const memory = order === 0 && random.uniform() < 0.5;
  const question = asking(chain, thing, 'place', memory ? 'beginning' : 'end');
  const kind = [memory ? 'memory' : 'reality', 'first_order', 'second_order'][order];
  const noisyActions = withNoise(random, agents, thing, actions);
  return openItem(noisyActions, question, askToMi(question), { dataset: 'tomi', kind, id });
}

function askToMi({ chain, thing, when }: Question): string {
  if (chain.length === 2) return `Where does ${chain[0]} think that ${chain[1]} searches for the ${thing}?`;
  if (chain.length === 1) return `Where will ${chain[0]} look for the ${thing}?`;
  return when === 'beginning' ? `Where was the ${thing} at the beginning?` : `Where is the ${thing} really?`;
}

/** A plot, possibly with a visit by the third agent. */
function drawPlot(random: Random): Beat[] {
  const plot = [...random.choice(PLOTS)];
  const visit = random.integer(3);
  if (visit === 0) return plot;
  const comes = random.integer(plot.length + 1);
  plot.splice(comes, 0, 'third comes');
  if (visit === 2) plot.splice(comes + 1 + random.integer(plot.length - comes), 0, 'third leaves');
  return plot;
}

function withNoise(
  random: Random,
  agents: readonly string[],
  thing: string,
  actions: readonly WitnessedAction[],
): WitnessedAction[] {
  return actions.flatMap((action) => {
    if (random.uniform() >= NOISE_PROBABILITY) return [action];
    const text = `${random.choice(agents)} ${random.choice(['likes', 'dislikes', 'loves', 'hates'])} the ${random.choice(FOOD.filter((food) => food !== thing))}`;
    return [{ act: 'noise', text }, action];
  });
}
