import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLenientJson, Unreadable } from '../../src/base/lenient-json';

describe('lenient JSON', () => {
  it('agrees with JSON.parse for every indentation', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        // The lenient parser keeps large integers as bigint; JSON.parse rounds them.
        const rounded = (_: string, part: unknown): unknown =>
          typeof part === 'bigint' ? Number(part) : part;
        expect(JSON.stringify(parseLenientJson(text), rounded, indent)).toBe(text);
      }),
    );
  });

  it('rejects invalid JSON, as JSON.parse does', () => {
    const bad = ['', '{', '[1,]', '{"a":1,}', '{a:1}', "'a'", '01', '.5', '1.', '+1', '"a', '"\\x"', '"\n"', '1 2', 'nul', '\u00a01', '[', '"\\"']; // prettier-ignore
    for (const text of bad) {
      expect(() => JSON.parse(text) as unknown, text).toThrow(SyntaxError);
      expect(() => parseLenientJson(text), text).toThrow(SyntaxError);
    }
    expect(() => parseLenientJson('[1,\n 2,\n x]')).toThrow('line 3, character 2: unexpected "x]"');
    expect(() => parseLenientJson('['.repeat(200_000))).toThrow(SyntaxError);
  });

  it("accepts Python's constants and long integers, and marks a repeated name as unreadable", () => {
    expect(parseLenientJson('[NaN, Infinity, -Infinity, "NaN"]')).toEqual([NaN, Infinity, -Infinity, 'NaN']);
    expect(parseLenientJson('[12345678901234567890, 7]')).toEqual([12345678901234567890n, 7]);
    expect(parseLenientJson('{"a":1,"b":2,"\\u0061":1}')).toEqual({
      a: new Unreadable('occurs twice'),
      b: 2,
    });
    const named = parseLenientJson('{"__proto__":{"a":1}}');
    expect([Object.hasOwn(named as object, '__proto__'), (named as { a?: number }).a]).toEqual([true, undefined]); // prettier-ignore
  });
});
