/**
 * The kind of world of an item. Code that reads a world switches over `kind` without a default, so that the type
 * checker reports every place that must handle a new kind.
 */
import type { Item } from '../item';
import type { SwapWorld } from './swap';
import type { World } from '../beliefs/world';

export type ItemWorld =
  | { kind: 'swap'; world: SwapWorld }
  /** A list of actions (`simulate.ts`), for every other data set. */
  | { kind: 'story'; world: World };

/** Null if the item has no simulated world. */
export function itemWorld({ dataset, world }: Item): ItemWorld | null {
  if (world === undefined) return null;
  if (dataset === 'swap') return { kind: 'swap', world: world as SwapWorld };
  return { kind: 'story', world: world as World };
}

/**
 * Number of possible answers: the choices offered, the places of the room, or the places that the story names for the
 * thing in question.
 *
 * @returns null if unknown
 */
export function possibleAnswers(item: Item): number | null {
  if (item.choices !== undefined) return item.choices.length;
  if (item.scoring?.rule === 'binary') return 2;
  const behind = itemWorld(item);
  switch (behind?.kind) {
    case 'swap':
      return behind.world.places.length;
    case 'story':
      return answersAbout(behind.world);
    case undefined:
      return null;
  }
}

function answersAbout({ actions, question: { thing, property, form } }: World): number | null {
  if (form === 'names') return null;
  if (form !== 'value') return 2;
  if (property !== 'place') return null;
  const named = actions.flatMap((action) => {
    if (!('thing' in action) || action.thing !== thing) return [];
    if (action.act === 'announce' || action.act === 'move') return [action.place];
    return action.act === 'tell' && action.property === 'place' ? [action.value] : [];
  });
  return new Set(named).size;
}
