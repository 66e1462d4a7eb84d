/**
 * The Sally-Anne test (Baron-Cohen, Leslie and Frith 1985), from which the project takes its name: Sally puts a marble
 * in one place and leaves; Anne moves it, does not move it, or waits until Sally is back. The question asks where the
 * marble is, where Sally will look for it, or where Anne thinks that Sally will look.
 */
import type { Random } from '../../base/random';
import type { Item } from '../item';
import { CONTAINERS, drawWords, PEOPLE, ROOMS } from './words';
import { openItem } from './story-item';
import { askToMi } from './tomi';
import { asking, type WitnessedAction } from '../beliefs/world';

/** The test's story and a question of order 0, 1 or 2. */
export function drawSallyItem(random: Random, order: number, id: string): Item {
  const [sally, anne] = drawWords(random, PEOPLE, 2);
  const [room] = drawWords(random, ROOMS, 1);
  const [basket, box] = drawWords(random, CONTAINERS, 2);
  const thing = 'marble';
  const leaves: WitnessedAction = { act: 'exit', who: sally, room };
  const moves: WitnessedAction = { act: 'move', who: anne, thing, place: box };
  const returns: WitnessedAction = { act: 'enter', who: [sally], room };
  const actions: WitnessedAction[] = [
    { act: 'enter', who: random.shuffle([sally, anne]), room },
    { act: 'announce', thing, place: basket },
    ...random.choice([
      [leaves, moves],
      [moves, leaves],
      [leaves, returns, moves],
      [leaves, moves, returns],
      [leaves],
    ]),
  ];
  const question = asking([anne, sally].slice(2 - order), thing);
  const kind = ['reality', 'first_order', 'second_order'][order];
  return openItem(actions, question, askToMi(question), { dataset: 'sally', kind, id });
}
