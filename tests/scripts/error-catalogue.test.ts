import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  codesExpected,
  errorsFile,
  errorsPage,
  findErrors,
  testsByCode,
} from '../../scripts/error-catalogue';
import { errorsHtml } from '../../scripts/errors-html';

const errors = findErrors();

describe('docs/errors.md', () => {
  it('is what the source says now: else run `npm run errors`', () => {
    expect(readFileSync(errorsFile, 'utf8')).toBe(errorsPage(errors));
  });

  it('has errors however they are written: thrown, wrapped in a function, or shown as they are', () => {
    const codes = new Set(errors.map(({ code }) => code));
    for (const code of [
      'store/full', // new MarbleError(…)
      'model/unreachable', // refuse('unreachable', …), whose template makes the code
      'app/worker-failed', // a step that the caller gives
      'store/other-tab', // a plain object
    ]) {
      expect(codes).toContain(code);
    }
  });
});

describe('the page of errors', () => {
  it('has a row for each code, where an error screen can point to, and nothing that would run', () => {
    const html = errorsHtml(
      '| `a/b` | It said &lt;script>. | Ask "why"<br>and go on \\| stop. | x.test.ts |\n',
    );
    expect(html).toContain('<tr id="a/b"><td><code>a/b</code></td><td>It said &lt;script>.</td>');
    expect(html).toContain('<td>Ask "why"<br>and go on | stop.</td>');
    const all = errorsHtml(errorsPage(errors));
    expect(all.match(/<tr id=/g)).toHaveLength(new Set(errors.map(({ code }) => code)).size);
    expect(all).not.toContain('<script');
  });
});

describe('every error', () => {
  it('counts for a test where that expects it, not where the test itself throws or shows it', () => {
    const expecting = `expect(refusal).toBe('a/b'); expect(error).toMatchObject({ code: 'c/d' });`;
    const standIn = `throw new MarbleError('e/f', 'm', 'n'); const full = { code: 'g/h' as const, message: 'No room.' };`;
    expect([...codesExpected(expecting + standIn)]).toEqual(['a/b', 'c/d']);
  });

  it('is expected by a test: else write one that provokes it', () => {
    const tests = testsByCode();
    const codes = [...new Set(errors.map(({ code }) => code))];
    expect(codes.filter((code) => !tests.has(code))).toEqual([]);
  });

  it('says what happened and what to do, in whole sentences', () => {
    const silent = errors.filter(
      ({ code, message, nextStep }) =>
        code !== 'app/unexpected' && (message === '' || nextStep === '' || nextStep === '…'),
    );
    expect(silent).toEqual([]);
    const unended = errors.filter(({ nextStep }) => !/[.?…]$/.test(nextStep));
    expect(unended).toEqual([]);
  });
});
