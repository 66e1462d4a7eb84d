import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lineOf, readingFile, readingPage, stops } from '../../scripts/read-the-code';

describe('docs/read-the-code.md', () => {
  it('points to the lines as they are now: else run `npm run read-the-code`', () => {
    expect(readFileSync(readingFile, 'utf8')).toBe(readingPage());
  });

  it('leads through eight stops', () => {
    expect(stops).toHaveLength(8);
  });

  it('is refused where a stop has moved away, or stands in two places', () => {
    const place = { file: 'a.ts', line: 'function whiten(' };
    expect(lineOf(place, 'a\nfunction whiten(x)\nb')).toBe(2);
    expect(() => lineOf(place, 'a\nfunction whitened(x)')).toThrow(/is not there.*read-the-code\.ts/);
    expect(() => lineOf(place, 'function whiten(x)\nfunction whiten(y)')).toThrow(/the lines 1, 2/);
  });
});
