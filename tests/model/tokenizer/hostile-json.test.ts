/** A tokenizer.json from a stranger ends in a named error, or gives the tokens that it describes. */
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/model/source/source';
import { readTokenizer } from '../../../src/model/tokenizer/tokenizer';
import { refusalOf } from '../refusal';
import { tinyJson } from './tiny-tokenizer';

const text = JSON.stringify(tinyJson);
const deep = '['.repeat(100_000) + ']'.repeat(100_000);
/** The file with a part of its text replaced. */
const raw = (from: string, to: string): string => text.replace(from, () => to);
/** The file with other parts. */
const having = (parts: object): string => JSON.stringify({ ...tinyJson, ...parts });
const model = (changes: object): string => having({ model: { ...tinyJson.model, ...changes } });
const vocab = (tokens: object): string => model({ vocab: { ...tinyJson.model.vocab, ...tokens } });
const adding = (...tokens: object[]): string =>
  having({ added_tokens: [...tinyJson.added_tokens, ...tokens] });
const split = (Regex: unknown): string =>
  having({ pre_tokenizer: { type: 'Split', behavior: 'Isolated', pattern: { Regex } } });
const replace = (content: unknown, times = 1): string =>
  having({
    normalizer: {
      type: 'Sequence',
      normalizers: Array(times).fill({ type: 'Replace', pattern: { String: 'a' }, content }),
    },
  });
const replacePattern = (Regex: string): string =>
  having({ normalizer: { type: 'Replace', pattern: { Regex }, content: '' } });
const nested = (depth: number): object => ({
  type: 'Sequence',
  normalizers: depth > 0 ? [nested(depth - 1)] : [],
});
const start = (count: number, id: number): string =>
  having({
    post_processor: {
      type: 'TemplateProcessing',
      single: [...Array<object>(count).fill({ SpecialToken: { id: 'x' } }), { Sequence: { id: 'A' } }],
      special_tokens: { x: { ids: [id] } },
    },
  });
const { a: _, ...withoutA } = tinyJson.model.vocab;

async function encoded(json: string): Promise<readonly number[]> {
  const files = { 'config.json': new Blob(['{}']), 'tokenizer.json': new Blob([json]) };
  return (await readTokenizer(await openSource({ files }))).encode('cab a', { start: true });
}

describe.each([
  ['model/not-json', { empty: '', 'no JSON': 'hello', 'zero bytes': '\0\0', 'cut off': text.slice(0, 300) }],
  ['model/file-size', { 'of 34 MB': `${text}${' '.repeat(34 << 20)}` }],
  [
    'model/tokenizer-json',
    {
      ...{ null: 'null', 'a list': '[]', 'a deep list': deep },
      'a deep normalizer': raw('"normalizer":null', `"normalizer":${deep}`),
      'a normalizer without a type': having({ normalizer: {} }),
      'sequences in sequences': having({ normalizer: nested(6) }),
      'a deep pre-tokenizer': raw('"pre_tokenizer":{', `"pre_tokenizer":{"x":${deep},`),
      'a deep added token': raw('"added_tokens":[', `"added_tokens":[${deep},`),
      'a deep merge': raw('["a b"]', `[${deep}]`),
      'a deep id': raw('"ab":96', `"ab":${deep}`),
      'a deep unknown token': raw('"merges":', `"unk_token":${deep},"merges":`),
      'the same id twice': vocab({ zz: 3 }),
      'a negative id': vocab({ zz: -1 }),
      'a fraction': vocab({ zz: 1.5 }),
      'a huge id': vocab({ zz: 4e9 }),
      'an empty vocabulary': having({ added_tokens: [], model: { ...tinyJson.model, vocab: {} } }),
      'a list of words': model({ vocab: ['a'] }),
      'no merges': model({ merges: undefined }),
      'mixed merges': model({ merges: ['a b', ['c', 'd']] }),
      'an added id twice': adding({ id: 200, content: 'q' }),
      'an added text twice': adding({ id: 209, content: '<think>' }),
      'an empty added token': adding({ id: 209, content: '' }),
      'a negative added id': adding({ id: -2, content: 'x' }),
      'too many added tokens': adding(...Array<object>(20_000).fill({ id: 209, content: 'x' })),
      'a replacement by nothing': replace(undefined),
      'a start token that is missing': start(1, 999),
      'a merge without a space': model({ merges: ['abc'] }),
      'an added token with the id of a word': adding({ id: 0, content: 'x' }),
      'a number as pattern': split(7),
      'a split without a pattern': having({
        pre_tokenizer: { type: 'Split', pattern: { Regexp: 'x' }, behavior: 'Isolated' },
      }),
      'a replacement without a pattern': having({ normalizer: { type: 'Replace', content: '' } }),
    },
  ],
  [
    'model/tokenizer-unsupported',
    {
      'a deep dropout': raw('"merges":', `"dropout":${deep},"merges":`),
      'repeated groups': split('(a+)+$'),
      'three repeated parts': split('(?=a*a*a*b)a'),
      'a pattern of 200,000 letters': split('a|'.repeat(100_000)),
      'an unknown property': split('\\p{Nonsense}'),
      'an unknown model': model({ type: 'Unigram' }),
      'an inherited name as type': having({ pre_tokenizer: { type: 'constructor' } }),
      'doublings in a row': replace('aa', 40),
      'an object as replacement': replace({}),
      'a long prefix': having({ normalizer: { type: 'Prepend', prepend: 'x'.repeat(1000) } }),
      'a long sign for spaces': having({
        pre_tokenizer: { type: 'Metaspace', replacement: 'x'.repeat(100) },
      }),
      'many start tokens': start(100, 200),
      'an open group': split('(a+'),
      'an open group that is replaced': replacePattern('('),
      'repeated groups that are replaced': replacePattern('(a+)+b'),
      'a split that merges': having({
        pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithNext' },
      }),
      'an unknown pre-tokenizer': having({ pre_tokenizer: { type: 'Martian' } }),
      'pieces of nothing': having({ pre_tokenizer: { type: 'FixedLength', length: 0 } }),
    },
  ],
  [
    'model/unknown-word',
    {
      'no letter a': model({ vocab: withoutA }),
      'no letter a, and an unknown token that is missing': model({ vocab: withoutA, unk_token: '<nope>' }),
      'a control token for the letter a': adding({ id: 64, content: 'a', special: true }),
    },
  ],
])('%s', (code, files) => {
  it.each(Object.entries(files))('%s', async (_name, json) => {
    expect(await refusalOf(() => encoded(json))).toBe(code);
  });
});

it.each(
  Object.entries({
    'as it is': text,
    'with a byte order mark': `\ufeff${text}`,
    'with inherited names as tokens': raw('"ab":96', '"ab":96,"__proto__":97,"constructor":98,"toString":99'),
    'with a prototype': raw('"type":"BPE"', '"type":"BPE","__proto__":{"merges":[]}'),
    'with inherited names as added tokens': adding(
      { id: 209, content: '__proto__' },
      { id: 210, content: 'constructor' },
    ),
    'with merges of unknown tokens': model({ merges: ['a b', 'a zzz', 'c d', '__proto__ a'] }),
    'with merges as pairs': model({ merges: [['a', 'b']] }),
    'with letters of a pattern as added token': adding({ id: 209, content: '(a+)+$' }),
    'with truncation and padding': having({ truncation: { max_length: 1 }, padding: { length: 1e9 } }),
  }),
)('the same tokens %s', async (_name, json) => {
  expect(await encoded(json)).toEqual([66, 96, 94, 64]);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
