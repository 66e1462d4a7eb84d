/**
 * Derives worlds for imported items. If `solve` can read a story and agrees with its label, the item gets the simulated
 * world, its gold traces and the shortcut's answer, which trace checks and shortcut lines need. Otherwise the item is
 * unchanged.
 */
import { answerFrom } from '../beliefs/belief';
import type { Item } from '../item';
import { readWorld } from '../beliefs/solve';
import { showings } from '../beliefs/simulate';
import { firstLeaverAnswer } from '../worlds/story-item';
import { tellTraces } from '../beliefs/traces';
import type { World } from '../beliefs/world';

export function withWorld(item: Item): Item {
  const world = worldOf(item);
  if (world === null) return item;
  const allShowings = showings(world.rules, world.actions);
  const answer = answerFrom(allShowings, world.question);
  if (answer !== item.answer) return item;
  return {
    ...item,
    world,
    shortcut: firstLeaverAnswer(world, allShowings),
    traces: tellTraces(world, allShowings, answer),
  };
}

function worldOf(item: Item): World | null {
  if (!['hitom', 'tomi', 'exploretom'].includes(item.dataset)) return null;
  try {
    return readWorld(item.story, item.question);
  } catch {
    // A text without a reading has no world. This is not an error in the item.
    return null;
  }
}
