/**
 * A tokenizer.json whose tokens are whole words between white space: the embedded models' own small vocabulary. Python's
 * tokenizers reads it too. Without an unknown token among the words, a text with another word cannot be encoded.
 *
 * Where there are marks, each is a token of its own wherever it stands, and a decoded text has no space before it: a text
 * of words between single spaces, marks at their ends, comes back as it was.
 *
 * @param words all tokens, the index being the id
 * @param specials those of them that are control tokens: padding, end of text
 * @param marks one-character words that are tokens even where no space sets them apart
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

/** Splits at white space, then sets marks apart. */
function splittingAt(marks: readonly string[]): Record<string, unknown> {
  const pattern = { Regex: `[${marks.join('').replace(/[\\\]^-]/g, '\\$&')}]` };
  const atMarks = { type: 'Split', pattern, behavior: 'Isolated', invert: false };
  return { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, atMarks] };
}

/** Puts a space before each word but the first (`##` would go without one; no word begins so), and none before a mark. */
function joiningAt(marks: readonly string[]): Record<string, unknown> {
  const afterSpaces = { type: 'WordPiece', prefix: '##', cleanup: false };
  const joined = marks.map((mark) => ({ type: 'Replace', pattern: { String: ` ${mark}` }, content: mark }));
  return { type: 'Sequence', decoders: [afterSpaces, ...joined] };
}
