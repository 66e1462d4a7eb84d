import { createRandom } from '../base/random';
import type { Item } from './item';

/**
 * A story's identity is its text without white space. Two items of a data set with the same story share one id, even
 * from different files, so a split by story never puts one story on both sides.
 */
export function storyIdOf(dataset: string, story: string): string {
  const [first, second] = hashOf(story);
  return `${dataset}-${hexadecimal(first)}${hexadecimal(second)}`;
}

/**
 * FNV-1a of the text without white space, twice with different offsets. @returns two unsigned 32-bit integers, which
 * also serve as a seed
 */
export function hashOf(text: string): [number, number] {
  let first = 0x811c9dc5;
  let second = 0xc2b2ae35;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 32) continue;
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x01000193) + unit;
  }
  return [first >>> 0, second >>> 0];
}

function hexadecimal(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** The unit of the split: the story, or the question of an item without a story. */
export function storyOf({ story, storyId, question }: Item): string {
  return story.trim() === '' ? `${storyId} ${question}` : storyId;
}

/** The text of that unit, the same in every data set and under every name of an imported one. */
export function textOf({ story, question }: Item): string {
  return hashOf(story.trim() === '' ? question : story).join();
}

export interface Split {
  train: Item[];
  test: Item[];
}

/**
 * Splits by story, since a story's other questions reveal its answer; items without a story (GSM8K) are split by question.
 * Moves whole stories to the test set until it holds `enough` wanted items, but at most half of the stories. The order
 * of stories depends on the seed and their text, not on their position in the file.
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
    .map(([id, members]) => ({ id, members, draw: createRandom(seed, ...hashOf(id)).uniform() }))
    .sort((a, b) => a.draw - b.draw || (a.id < b.id ? -1 : 1));
  const most = Math.floor(order.length / 2);
  const set = new Set<string>();
  let count = 0;
  for (const { id, members } of order) {
    if (set.size === most || count >= enough) break;
    set.add(id);
    count += members.filter(wanted).length;
  }
  return {
    train: items.filter((item) => !set.has(storyOf(item))),
    test: order.filter(({ id }) => set.has(id)).flatMap(({ members }) => members),
  };
}
