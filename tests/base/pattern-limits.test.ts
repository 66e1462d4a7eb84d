/** Patterns of strangers are accepted only if they cannot take forever. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternFault } from '../../src/base/pattern-limits';

/** Patterns of published tokenizers: GPT-2, Llama 3, Qwen2, the DeepSeek distillations, GPT-4o. */
const published = [
  String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_\x60{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{M}]*[\p{Ll}\p{Lm}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}`,
  String.raw`[一-龥぀-ゟ゠-ヿ]+`,
  ' {2,}',
];

describe('the limits on patterns', () => {
  it('accept those of published tokenizers', () => {
    for (const pattern of published) expect(patternFault(pattern, 1, 32), pattern).toBeNull();
  });

  it('refuse what takes forever', () => {
    for (const pattern of [
      '(a+)+b',
      '(a|a)*b',
      '(.*)(.*)(.*)x',
      'a*a*a*a*b',
      '(?=(a+)+b)',
      String.raw`(a*)\1b`,
      String.raw`(?<n>a)\k<n>`,
      `${'a?'.repeat(30)}b`,
      `${'(a|aa)'.repeat(30)}b`,
      '(a{0,16}){0,16}b',
      '(a+b?){20}c',
    ])
      expect(patternFault(pattern, 1, 32), pattern).not.toBeNull();
    expect(patternFault('.*a.*b.*', 3, 32)).toBeNull();
    expect(patternFault(String.raw`[)+(]+\)\(a+`, 1, 32)).toBeNull();
  });

  it('accept no pattern that backtracks for long, of all that can be written with a few letters', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', String.raw`\w`, '[^b]');
    const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
      pattern: fc.array(tie('item'), { minLength: 1, maxLength: 12 }).map((items) => items.join('')),
      item: fc
        .tuple(
          fc.oneof(
            { weight: 3, arbitrary: atom },
            {
              weight: 1,
              arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
            },
          ),
          fc.constantFrom('', '', '*', '+', '?', '{2,}', '{1,3}', '{0,9}'),
        )
        .map((parts) => parts.join('')),
    }));
    const text = `${'a'.repeat(400)}!`;
    fc.assert(
      fc.property(pattern, (source) => {
        if (patternFault(source, 1, 32) !== null) return;
        const expression = new RegExp(source, 'gu');
        const start = performance.now();
        text.replace(expression, '');
        expect(performance.now() - start, source).toBeLessThan(5000);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});
