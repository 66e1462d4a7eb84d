import { describe, expect, it } from 'vitest';
import { generatorNames } from '../../src/tom/worlds/generate';
import type { Item } from '../../src/tom/item';
import { itemsOf } from './items';
import { sampled } from '../fixtures/sample';

const COUNT = sampled(4000, 20_000);
/** Allowed gain of a guess by chance. */
const MARGIN = sampled(0.02, 0.015);

/** Belief questions about a container. Rooms are left out: one story has at most two. */
const make = (source: string): Item[] => {
  const orders = generatorNames()
    .find(({ name }) => name === source)!
    .orders.filter((order) => order >= 1 && order <= 2);
  return itemsOf(source, COUNT, 77, { orders }).filter(
    ({ question }) => !question.startsWith('In which room'),
  );
};

/**
 * Accuracy on the second half of always giving the answer that was most often right for the same feature in the first
 * half. This is the maximum for a guesser that sees only this feature.
 */
function guessed(items: Item[], feature: (item: Item) => string, label: (item: Item) => string): number {
  const half = Math.floor(items.length / 2);
  const counts = new Map<string, Map<string, number>>();
  for (const item of items.slice(0, half)) {
    const seen = counts.get(feature(item)) ?? new Map<string, number>();
    counts.set(feature(item), seen.set(label(item), (seen.get(label(item)) ?? 0) + 1));
  }
  const best = new Map(
    [...counts].map(([key, seen]) => [key, [...seen].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  );
  const hits = items.slice(half).filter((item) => best.get(feature(item)) === label(item)).length;
  return hits / (items.length - half);
}

const answerWord = (item: Item): string => item.answer;
const firstAsked = (item: Item): string =>
  /\b[A-Z][a-z]+(?= )|(?<=does |will )\w+/.exec(item.question.replace(/^\w+ /, ''))?.[0] ?? '';

/**
 * Sets with a yes/no question and a list question per story. "Yes" is a quarter of their answers.
 */
const paired = generatorNames().filter(({ datasets }) => datasets.includes('who-knows'));
const single = generatorNames().filter((generator) => !paired.some(({ name }) => name === generator.name));

describe.each(single)('many items of $name', ({ name: source }) => {
  const items = make(source);
  const blind = guessed(items, () => '', answerWord);

  it('have no answer word that is right much more often than others', () => {
    const words = new Set(items.map(answerWord)).size;
    // Four standard errors above chance, plus .01 because the best of all words is taken.
    expect(blind).toBeLessThan(1 / words + 4 * Math.sqrt(1 / words / (COUNT / 2)) + 0.01);
  });

  it('cannot be answered from the name of the agent in the question or the length of the story', () => {
    const length = (item: Item): string => String(item.story.split(/[.\n]/).length);
    for (const feature of [firstAsked, length])
      expect(guessed(items, feature, answerWord)).toBeLessThan(blind + MARGIN);
  });
});
