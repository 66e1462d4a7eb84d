/** From a world to the item that asks its question: text, truth, gold traces and what a rule without beliefs would say. */
import { answerFrom, decidingShowing } from '../beliefs/belief';
import type { Item } from '../item';
import { showings, type Showing } from '../beliefs/simulate';
import { storyIdOf } from '../story-id';
import { tellStory, type Telling } from '../text/story-text';
import { tellTraces } from '../beliefs/traces';
import { orderOf, type Question, type World, type WitnessedAction } from '../beliefs/world';

/** What stands in `Item.world` of a generated story. */
export interface ToldWorld extends World {
  telling: Telling;
  /** The text of the question; its wording is the data set's own. */
  asked: string;
}

/** Null where the story does not settle the question. */
export function storyItem(world: ToldWorld, dataset: string, kind: string, id: string): Item | null {
  const shown = showings(world.rules, world.actions);
  const answer = answerFrom(shown, world.question);
  const deciding = decidingShowing(shown, world.question);
  if (answer === null || (deciding === undefined && world.question.form === 'value')) return null;
  const shortcut = firstLeaverAnswer(world, shown);
  const story = tellStory(world.rules, world.actions, world.telling);
  return {
    id,
    dataset,
    storyId: storyIdOf(dataset, story),
    story,
    question: world.asked,
    answer,
    order: orderOf(world.question),
    kind,
    shortcuts: shortcut === null ? {} : { 'first-leaver': shortcut },
    traces: tellTraces(world, shown, answer),
    world,
    training: 'allowed',
  };
}

interface OpenTelling {
  dataset: string;
  kind: string;
  id: string;
  /** One line for each sentence, or one paragraph. */
  style?: 'lines' | 'sentences';
}

/** `storyItem` of a story under the open rules, which always settles its question. */
export function openItem(
  actions: WitnessedAction[],
  question: Question,
  asked: string,
  { dataset, kind, id, style = 'lines' }: OpenTelling,
): Item {
  return storyItem({ rules: 'open', actions, question, telling: { style }, asked }, dataset, kind, id)!;
}

/**
 * The shortcut of the papers' data, `first-leaver`: where the thing is when the first-leaving person named in the question
 * first leaves a room; for people who never leave, the last place. It tracks no belief. Null for questions after reality,
 * which ask none, and for those that do not ask where the thing is.
 */
export function firstLeaverAnswer({ actions, question }: World, shown: readonly Showing[]): string | null {
  if (question.form !== 'value' || question.chain.length === 0) return null;
  const exit = actions.findIndex((action) => action.act === 'exit' && question.chain.includes(action.who));
  return answerFrom(shown, { ...question, chain: [], when: exit === -1 ? 'end' : exit });
}
