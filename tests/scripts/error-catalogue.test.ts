import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorsFile, errorsPage, findErrors } from '../../scripts/error-catalogue';
import { docsHtml } from '../../scripts/build/docs-html';

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
    const html = docsHtml(errorsPage(errors));
    expect(
      Array.from(html.matchAll(/<tr id="([^"]+)">\s*<td><code>\1<\/code>/g), ([, code]) => code),
    ).toEqual([...codes]);
    expect(html).not.toContain('<script');
  });
});

describe('a page of the docs', () => {
  it('leads to the other pages and to the web, and nowhere where there is nothing', () => {
    const html = docsHtml(
      '# Of links\n[one](tasks.md) [two](../src/rl/step.ts) [three](https://marble.example) [four](study-1/results.md)\n',
    );
    expect(Array.from(html.matchAll(/<a href="([^"]+)">/g), ([, address]) => address)).toEqual([
      'tasks.html',
      'https://marble.example',
    ]);
    expect(html).toContain('two');
    expect(html).toContain('<title>Marble: Of links</title>');
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
