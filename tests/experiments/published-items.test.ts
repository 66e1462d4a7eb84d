import { describe, expect, it } from 'vitest';
import { inKnownWords } from '../../scripts/published-items';
import type { Item } from '../../src/tom/item';
import { hiTomTokens, hiTomVocabulary } from '../../src/tom/hitom-vocabulary';

const item: Item = {
  id: 'hitom:1',
  dataset: 'hitom',
  storyId: 'a',
  story:
    'Oliver and Ava entered the TV_room. The broccoli is in the red_suitcase. Oliver exited the TV_room. Ava moved the broccoli to the red_box. Ava publicly claimed that broccoli is in the red_box now.',
  question: 'Where does Oliver think the broccoli is?',
  answer: 'red_suitcase',
  choices: ['red_box', 'red_suitcase'],
  order: 1,
  shortcuts: {},
  training: 'allowed',
};
const texts = ({ story, question, answer, choices = [] }: Item): string[] => [
  story,
  question,
  answer,
  ...choices,
];

describe('a published item in known words', () => {
  it('has none that the vocabulary lacks, and is otherwise the same story', () => {
    const told = inKnownWords(item);
    const known = new Set(hiTomVocabulary());
    const words = hiTomTokens(texts(told).join(' '));
    expect(words.filter((word) => !known.has(word))).toEqual([]);
    // Word for word one stands for one: as many, and as many different ones.
    const before = hiTomTokens(texts(item).join(' ').replace(' now.', '.'));
    expect(new Set(before.map((word, i) => `${word} ${words[i]}`)).size).toBe(new Set(before).size);
    expect(new Set(words).size).toBe(new Set(before).size);
    expect(told.choices).toContain(told.answer);
    expect(told.answer).not.toBe('red_box');
  });

  it('is the item itself where all of its words are known', () => {
    const told = inKnownWords(item);
    expect(inKnownWords(told)).toBe(told);
  });

  it('refuses a word whose kind its form does not tell', () => {
    expect(() => inKnownWords({ ...item, question: 'Where is 17?' })).toThrow('"17" is of no kind');
  });
});
