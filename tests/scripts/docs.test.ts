/** The docs: files and functions that they name exist, and the graph that a script draws is current. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { docsHtml } from '../../scripts/build/docs-html';
import { drawnFromImports } from '../../scripts/room-picture';

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** Pages about other commits, or about files that the reader writes. */
const others = ['add-an-op.md', 'add-a-task.md', 'study-2.md', 'study-3a.md', 'study-3b.md'];
const docs = readdirSync('docs').filter((name) => name.endsWith('.md') && !others.includes(name));

it.each(['README.md', 'SECURITY.md', ...docs.map((name) => `docs/${name}`)])(
  '%s names files that exist',
  (page) => {
    const named = textOf(page).matchAll(
      /`((?:src|tests|workers|scripts|bench|examples)\/[\w./-]+)`(?! of commit)/g,
    );
    expect(Array.from(named, ([, path]) => path).filter((path) => !existsSync(path))).toEqual([]);
  },
);

it('every stop of docs/read-the-code.md is defined in its file', () => {
  const page = textOf('docs/read-the-code.md');
  const stops = [...page.matchAll(/^- `(\w+)` in \[([\w/.-]+)\]\(\.\.\/\2\): /gm)];
  expect(stops).toHaveLength(page.match(/^- /gm)!.length);
  for (const [, name, file] of stops) {
    // A top-level definition, a function within a function, or a method with a body.
    const defined = new RegExp(
      `^(export )?(async )?(function\\*?|const|class|interface) ${name}\\b|^ +(async )?function ${name}\\b|^ +(const ${name} = |(async )?${name}\\((.*\\{)?$)`,
      'm',
    );
    expect(textOf(file), `${name} in ${file}`).toMatch(defined);
  }
});

it('the picture of the rooms shows the imports of today', async () => {
  expect(textOf('docs/architecture.md')).toContain(await drawnFromImports());
});

it('a link to a heading of the docs leads to one', () => {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const built = Object.fromEntries(pages.map((name) => [name, docsHtml(textOf(`docs/${name}`))]));
  const links = pages.flatMap((name) =>
    Array.from(built[name].matchAll(/ href="([\w-]*)(?:\.html)?#([^"]*)"/g), ([, page, anchor]) => [
      page === '' ? name : `${page}.md`,
      anchor,
    ]),
  );
  const ofReadme = textOf('README.md').matchAll(/\(docs\/([\w-]+\.md)#([^)]*)\)/g);
  const all = [...links, ...Array.from(ofReadme, ([, page, anchor]) => [page, anchor])];
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter(([page, anchor]) => !built[page].includes(` id="${anchor}"`))).toEqual([]);
});
