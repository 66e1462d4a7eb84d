import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../../src/model/tokenizer/tokenizer';
import { refusalOf } from '../refusal';

const letters = Object.fromEntries(Array.from('abĠ!', (letter, id) => [letter, id]));
const json = (parts: Record<string, unknown>): unknown => ({
  added_tokens: [],
  model: { type: 'BPE', unk_token: null, vocab: letters, merges: [] },
  ...parts,
});

describe('a tokenizer', () => {
  it.each(['(a+', 7])('with the pattern %j, which is none, is refused', async (Regex) => {
    const pre_tokenizer = { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false };
    expect(await refusalOf(() => createTokenizer(json({ pre_tokenizer })))).toMatch(/^model\/tokenizer-/);
  });

  it.each([
    [
      'that cuts texts into pieces of nothing',
      json({ pre_tokenizer: { type: 'FixedLength', length: 0 } }),
      'model/tokenizer-unsupported',
    ],
    [
      'with more added tokens than any has',
      json({
        added_tokens: Array.from({ length: 20_000 }, (_, id) => ({ id, content: `<${id}>`, special: true })),
      }),
      'model/tokenizer-json',
    ],
  ])('%s is refused', async (_, parts, code) => {
    expect(await refusalOf(() => createTokenizer(parts))).toBe(code);
  });

  it('that says a space is another sign, as Llama 2 does, is read', () => {
    const normalizers = [
      { type: 'Prepend', prepend: '!' },
      { type: 'Replace', pattern: { String: ' ' }, content: '!' },
    ];
    const tokenizer = createTokenizer(json({ normalizer: { type: 'Sequence', normalizers } }));
    expect(tokenizer.encode('a b')).toEqual([3, 0, 3, 1]);
  });

  it('whose control tokens take the white space around them takes it, however long it is', () => {
    const added = { id: 9, content: '<|end|>', special: true, lstrip: true, rstrip: true };
    const other = { id: 10, content: '<|end|>a', special: true };
    const tokenizer = createTokenizer(
      json({ added_tokens: [added, other], pre_tokenizer: { type: 'ByteLevel', use_regex: true } }),
    );
    const encode = (text: string): number[] => tokenizer.encode(text, { special: true });
    expect(encode('a <|end|> \n b <|end|>a a')).toEqual([0, 9, 1, 2, 10, 2, 0]);
    const spaces = ' '.repeat(100_000);
    expect(encode(`a${spaces}b${spaces}<|end|>${spaces}b`)).toHaveLength(100_000 + 4);
  });
});
