/** Turns a world into an item: text, true answer, gold traces and the answer of a rule without beliefs. */
import { answerFrom } from '../beliefs/belief';
import type { Item } from '../item';
import { showings, type Showing } from '../beliefs/simulate';
import { storyIdOf } from '../stories';
import { readWorld } from '../beliefs/solve';
import { tellStory, type Telling } from '../text/story-text';
import { tellTraces } from '../beliefs/traces';
import { orderOf, type Question, type World, type WitnessedAction } from '../beliefs/world';

/** The value of `Item.world` for a generated story. */
export interface ToldWorld extends World {
  telling: Telling;
  /** The text of the question, in the data set's own wording. */
  asked: string;
}

/** The fields of an item that follow from its world; null if the story does not determine the answer. */
function fieldsFrom<AnyWorld extends World>(world: AnyWorld) {
  const allShowings = showings(world.rules, world.actions);
  const answer = answerFrom(allShowings, world.question);
  if (answer === null) return null;
  const traces = tellTraces(world, allShowings, answer);
  return { answer, shortcut: firstLeaverAnswer(world, allShowings), traces, world };
}

/** Null if the story does not determine the answer. */
export function storyItem(world: ToldWorld, dataset: string, kind: string, id: string): Item | null {
  const fields = fieldsFrom(world);
  if (fields === null) return null;
  const story = tellStory(world.rules, world.actions, world.telling);
  const order = orderOf(world.question);
  return {
    id,
    dataset,
    storyId: storyIdOf(dataset, story),
    story,
    question: world.asked,
    order,
    kind,
    ...fields,
  };
}

/**
 * An imported item with its simulated world, its gold traces and the shortcut's answer, which trace checks and shortcut lines
 * need. The item is unchanged if the solver cannot read its story or disagrees with its label.
 */
export function withWorld(item: Item): Item {
  if (!['hitom', 'tomi', 'exploretom'].includes(item.dataset)) return item;
  let world: World;
  try {
    world = readWorld(item.story, item.question);
  } catch {
    return item; // A text without a reading is not an error in the item.
  }
  const fields = fieldsFrom(world);
  return fields?.answer === item.answer ? { ...item, ...fields } : item;
}

interface OpenTelling {
  dataset: string;
  kind: string;
  id: string;
  /** One line a sentence, or one paragraph. */
  style?: 'lines' | 'sentences';
}

/** `storyItem` for a story under the open rules, which always determines the answer. */
export function openItem(
  actions: WitnessedAction[],
  question: Question,
  asked: string,
  { dataset, kind, id, style = 'lines' }: OpenTelling,
): Item {
  return storyItem({ rules: 'open', actions, question, telling: { style }, asked }, dataset, kind, id)!;
}

/**
 * Answer of `first-leaver`, the shortcut in the papers' data: the thing's place when the first agent of the question to
 * leave a room leaves it. If none of them leaves, the answer is the final place. The rule tracks no belief.
 *
 * @returns undefined for questions about reality, and for questions that do not ask where the thing is
 */
function firstLeaverAnswer({ actions, question }: World, shown: readonly Showing[]): string | undefined {
  if (question.form !== 'value' || question.chain.length === 0) return undefined;
  const exit = actions.findIndex((action) => action.act === 'exit' && question.chain.includes(action.who));
  return answerFrom(shown, { ...question, chain: [], when: exit === -1 ? 'end' : exit }) ?? undefined;
}
