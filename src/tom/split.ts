/** Splits by STORY: a story's other questions give its answer away, so all of them fall on one side. */
import { MarbleError } from '../error';
import { createRandom } from '../random';
import type { Item } from './item';
import { hashOf } from './story-id';

export interface Split {
  train: Item[];
  validation: Item[];
  test: Item[];
}

/**
 * A story's side depends on the seed and its own text alone: adding or removing items moves no other story.
 *
 * @param shares of stories, between 0 and 1, that go to validation and test
 */
export function splitByStory(
  items: readonly Item[],
  shares: { validation: number; test: number },
  seed: number,
): Split {
  const split: Split = { train: [], validation: [], test: [] };
  for (const item of items) {
    const draw = createRandom(seed, ...hashOf(item.storyId)).uniform();
    const side =
      draw < shares.test ? 'test' : draw < shares.test + shares.validation ? 'validation' : 'train';
    split[side].push(item);
  }
  return split;
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
