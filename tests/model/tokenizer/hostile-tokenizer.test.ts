import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../../src/model/tokenizer/tokenizer';
import { isQuickPattern } from '../../../src/model/tokenizer/tokenizer-pattern';
import { refusalOf } from '../refusal';

const letters = Object.fromEntries(Array.from('abĠ!', (letter, id) => [letter, id]));
const json = (parts: Record<string, unknown>): unknown => ({
  added_tokens: [],
  model: { type: 'BPE', unk_token: null, vocab: letters, merges: [] },
  ...parts,
});
const split = (pattern: string): unknown =>
  json({
    pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
  });
const replacing = (count: number, content: string): unknown =>
  json({
    normalizer: {
      type: 'Sequence',
      normalizers: Array.from({ length: count }, () => ({
        type: 'Replace',
        pattern: { String: 'a' },
        content,
      })),
    },
  });

describe('the pattern of a tokenizer', () => {
  it.each([
    [
      'Qwen 2 to 3',
      String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ],
    [
      'Llama 3',
      String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ],
    ['GPT-2', String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`],
    [
      'GPT-4o',
      String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ],
    [
      'DeepSeek',
      String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ],
    ['DeepSeek, its digits and signs', String.raw`\p{N}{1,3}|[一-龥ࠀ-一가-퟿]+|\s+$|\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+`],
    ['Falcon', '[0-9][0-9][0-9]'],
    ['spaces', ' {2,}'],
  ])('of %s is run', (_, pattern) => {
    expect(isQuickPattern(pattern)).toBe(true);
  });

  it.each([
    '(a+)+$',
    '(a|a)*$',
    '(?:a?){30}b',
    'a?a?a?a?a?a?a?a?a?b',
    '(a*)*b',
    'a*a*b',
    String.raw`\s+\s+\s+x`,
    String.raw`\s+x`,
    '.*.*=.*',
    '[ab]*?c',
    'a++b',
    String.raw`(a)\1+`,
    '(?=a+)b',
    '(?<!a+)b',
    '[a[b]]+c',
    'a{0,9999}b',
    `${'a?'.repeat(20)}b`,
    'a|'.repeat(3000),
  ])('%s is not', async (pattern) => {
    expect(isQuickPattern(pattern)).toBe(false);
    expect(await refusalOf(() => createTokenizer(split(pattern)))).toBe('model/tokenizer-unsupported');
    const normalizer = { type: 'Replace', pattern: { Regex: pattern }, content: '' };
    expect(await refusalOf(() => createTokenizer(json({ normalizer })))).toBe('model/tokenizer-unsupported');
    expect(await refusalOf(() => createTokenizer(json({ decoder: normalizer })))).toBe(
      'model/tokenizer-unsupported',
    );
  });
});

describe('a tokenizer', () => {
  it.each([
    ['that doubles every letter sixty times', replacing(60, 'aa'), 'model/tokenizer-unsupported'],
    ['that makes a page of every letter', replacing(1, 'a'.repeat(10_000)), 'model/tokenizer-unsupported'],
    [
      'with a page before each text',
      json({ normalizer: { type: 'Prepend', prepend: 'a'.repeat(100) } }),
      'model/tokenizer-json',
    ],
    [
      'with a page for each space',
      json({ pre_tokenizer: { type: 'Metaspace', replacement: 'a'.repeat(100) } }),
      'model/tokenizer-json',
    ],
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
