/**
 * Splits by STORY: a story's other questions give its answer away, so all of them fall on one side. Items without a story
 * (GSM8K's) share none: each question is one of its own.
 */
import { MarbleError } from '../base/error';
import { createRandom } from '../base/random';
import type { Item } from './item';
import { hashOf } from './story-id';

/** What never falls on both sides: the story, or the question of an item without one. */
export function storyOf({ story, storyId, question }: Item): string {
  return story.trim() === '' ? `${storyId} ${question}` : storyId;
}

export interface Split {
  train: Item[];
  test: Item[];
}

/**
 * Sets whole stories apart until `enough` of their items are wanted ones, but never more than half of the stories. Which
 * stories go first depends on the seed and their own text alone, not on where they stand in the file.
 *
 * @param wanted which items count
 */
export function splitByStory(
  items: readonly Item[],
  enough: number,
  wanted: (item: Item) => boolean,
  seed: number,
): Split {
  const stories = new Map<string, Item[]>();
  for (const item of items) {
    const key = storyOf(item);
    const story = stories.get(key);
    if (story === undefined) stories.set(key, [item]);
    else story.push(item);
  }
  const order = [...stories]
    .map(([id, own]) => ({ id, own, draw: createRandom(seed, ...hashOf(id)).uniform() }))
    .sort((a, b) => a.draw - b.draw || (a.id < b.id ? -1 : 1));
  const most = Math.floor(order.length / 2);
  const set = new Set<string>();
  let found = 0;
  for (const { id, own } of order) {
    if (set.size === most || found >= enough) break;
    set.add(id);
    found += own.filter(wanted).length;
  }
  return {
    train: items.filter((item) => !set.has(storyOf(item))),
    test: order.filter(({ id }) => set.has(id)).flatMap(({ own }) => own),
  };
}

/** Refuses a training set with items whose terms forbid training. @throws `tom/training-forbidden` */
export function requireTrainable(items: readonly Item[]): void {
  const forbidden = items.find((item) => item.training === 'forbidden');
  if (forbidden === undefined) return;
  throw new MarbleError(
    'tom/training-forbidden',
    `Item ${forbidden.id} of "${forbidden.dataset}" may be used for evaluation only.`,
    'Take that data set out of the training mix; it can still be evaluated.',
  );
}
