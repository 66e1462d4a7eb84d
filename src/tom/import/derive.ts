/**
 * Worlds for imported items: where `solve` reads a story and agrees with its label, the item gets the simulated world,
 * its traces and the shortcut's answer, so that traces can be checked and shortcut lines drawn. Where it does not, the
 * item stays as it was.
 */
import { answerFrom } from '../beliefs/belief';
import type { Item } from '../item';
import { readQuestion, thingAsked } from '../text/read-question';
import { readStory } from '../text/read-story';
import { showings } from '../beliefs/simulate';
import { firstLeaverAnswer } from '../worlds/story-item';
import { tellTraces } from '../beliefs/traces';
import type { World } from '../beliefs/world';

export function withWorld(item: Item): Item {
  const world = worldOf(item);
  if (world === null) return item;
  const shown = showings(world.rules, world.actions);
  const answer = answerFrom(shown, world.question);
  if (answer !== item.answer) return item;
  const shortcut = firstLeaverAnswer(world, shown);
  return {
    ...item,
    world,
    shortcuts: shortcut === null ? {} : { 'first-leaver': shortcut },
    traces: tellTraces(world, shown, answer),
  };
}

function worldOf(item: Item): World | null {
  if (!['hitom', 'tomi', 'exploretom'].includes(item.dataset)) return null;
  try {
    const { rules, actions, sentences } = readStory(item.story, thingAsked(item.question));
    return { rules, actions, question: readQuestion(item.question, { rules, actions, sentences }) };
  } catch {
    // What cannot be read has no world; that is no fault of the item.
    return null;
  }
}
