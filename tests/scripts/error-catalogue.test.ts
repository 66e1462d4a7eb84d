import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorsFile, errorsPage, findErrors } from '../../scripts/error-catalogue';
import { errorsHtml } from '../../scripts/build/errors-html';

const errors = findErrors();
const codes = new Set(errors.map(({ code }) => code));

const textsBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

describe('docs/errors.md', () => {
  it('is what the source says now: else run `npm run errors`', () => {
    expect(readFileSync(errorsFile, 'utf8')).toBe(errorsPage(errors));
  });

  it('has errors however they are written: thrown, wrapped in a function, or shown as they are', () => {
    for (const code of [
      'store/full', // new MarbleError(…)
      'model/unreachable', // refuse('unreachable', …), whose template makes the code
      'tom/bad-file', // the same of another file, where several files have a function of that name
      'app/worker-failed', // a step that the caller gives
      'store/other-tab', // a plain object
    ]) {
      expect(codes).toContain(code);
    }
  });

  it('has every code that the source’s comments promise', () => {
    const rooms = [...new Set([...codes].map((code) => code.split('/')[0]))].join('|');
    const promised = new RegExp(`\`((?:${rooms})/[a-z0-9-]*[a-z0-9])\``, 'g');
    const named = ['src', 'workers']
      .flatMap((folder) => textsBelow(folder, /\.tsx?$/))
      .flatMap((text) => Array.from(text.matchAll(promised), ([, code]) => code));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((code) => !codes.has(code))).toEqual([]);
  });
});

describe('the page of errors', () => {
  it('has a row for each code, where an error screen can point to, and nothing that would run', () => {
    const html = errorsHtml('| `a/b` | It said &lt;script>. | Ask "why"<br>and go on \\| stop. |\n');
    expect(html).toContain('<tr id="a/b"><td><code>a/b</code></td><td>It said &lt;script>.</td>');
    expect(html).toContain('<td>Ask "why"<br>and go on | stop.</td>');
    const all = errorsHtml(errorsPage(errors));
    expect(all.match(/<tr id=/g)).toHaveLength(codes.size);
    expect(all).not.toContain('<script');
  });
});

/** What a test throws or shows itself, in the place of Marble. */
const standIns = /new MarbleError\(\s*'[a-z0-9/-]+'|\bcode: '[a-z0-9/-]+'(?: as const)?,\s*message: '/g;

describe('every error', () => {
  it('is expected by a test: else write one that provokes it', () => {
    const expected = textsBelow('tests', /(?<!error-catalogue)\.test\.ts$/).flatMap(
      (text) =>
      Array.from(text.replaceAll(standIns, '').matchAll(/['"`]([a-z]+\/[a-z0-9-]+)(?:['"`]|: )/g), ([, code]) => code), // prettier-ignore
    );
    expect([...codes].filter((code) => !expected.includes(code))).toEqual([]);
  });

  it('says what happened and what to do, in whole sentences', () => {
    const incomplete = errors.filter(
      ({ code, message, nextStep }) =>
        code !== 'app/unexpected' &&
        (message === '' || nextStep === '' || nextStep === '…' || !/[.?…]$/.test(nextStep)),
    );
    expect(incomplete).toEqual([]);
  });
});
