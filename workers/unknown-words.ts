/** Words of a data set that a small model cannot read. */
import type { Tokenizer } from '../src/model/tokenizer/tokenizer';
import { MarbleError } from '../src/base/error';
import type { Item } from '../src/tom/item';
import { compactPrompt } from '../src/tom/text/prompts';

/** @returns each word of the prompts that is not in the vocabulary, once, with its original spelling and order */
export function unknownWords(items: readonly Item[], tokenizer: Pick<Tokenizer, 'encode'>): string[] {
  const words = new Set(items.flatMap((item) => compactPrompt(item).split(/\s+/)));
  return [...words].filter((word) => !isKnown(word, tokenizer));
}

function isKnown(word: string, tokenizer: Pick<Tokenizer, 'encode'>): boolean {
  try {
    tokenizer.encode(word);
    return true;
  } catch (thrown) {
    if (thrown instanceof MarbleError && thrown.code === 'model/unknown-word') return false;
    throw thrown;
  }
}
