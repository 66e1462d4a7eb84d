/**
 * A tokenizer.json whose tokens are whitespace-separated words: the small vocabulary of the embedded models. Python's
 * tokenizers can read it. It has no unknown token, so a text with an unknown word cannot be encoded.
 *
 * Marks are separate tokens everywhere, and decoding writes no space before them. A text of words with single spaces
 * and trailing marks round-trips.
 *
 * @param words all tokens; the index is the id
 * @param specials control tokens among them: padding, end of text
 * @param marks one-character words that are tokens even without a preceding space
 */
export function wordLevelTokenizerJson(
  words: readonly string[],
  specials: readonly string[],
  marks: readonly string[] = [],
): Record<string, unknown> {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content) => ({
      id: words.indexOf(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: marks.length === 0 ? { type: 'WhitespaceSplit' } : splittingAt(marks),
    post_processor: null,
    decoder: marks.length === 0 ? null : joiningAt(marks),
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
      unk_token: '<unk>',
    },
  };
}

/** Splits at white space, then separates marks. */
function splittingAt(marks: readonly string[]): Record<string, unknown> {
  const pattern = { Regex: `[${marks.join('').replace(/[\\\]^-]/g, '\\$&')}]` };
  const atMarks = { type: 'Split', pattern, behavior: 'Isolated', invert: false };
  return { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, atMarks] };
}

/**
 * Adds a space before each word except the first, and none before a mark. (`##` would suppress it; no word starts with
 * that.)
 */
function joiningAt(marks: readonly string[]): Record<string, unknown> {
  const afterSpaces = { type: 'WordPiece', prefix: '##', cleanup: false };
  const joined = marks.map((mark) => ({ type: 'Replace', pattern: { String: ` ${mark}` }, content: mark }));
  return { type: 'Sequence', decoders: [afterSpaces, ...joined] };
}
