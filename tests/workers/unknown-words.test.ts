import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../src/model/tokenizer/tokenizer';
import { itemsOf } from '../tom/items';
import { unknownWords } from '../../workers/unknown-words';

const json: unknown = JSON.parse(await readFile('public/models/ladder-12k/tokenizer.json', 'utf8'));
const tokenizer = createTokenizer(json);
const [item] = itemsOf('swap', 1, 1, { orders: [1] });

describe('the words that a model lacks', () => {
  it('are none of its own stories', () => {
    expect(unknownWords([item], tokenizer)).toEqual([]);
  });

  it('are named once each, of the story and of the question', () => {
    const foreign = {
      ...item,
      story: `${item.story} Sally moved the ball .`,
      question: 'where is Sally now ?',
    };
    expect(unknownWords([item, foreign, foreign], tokenizer)).toEqual(['Sally', 'moved', 'the', 'now']);
  });
});
