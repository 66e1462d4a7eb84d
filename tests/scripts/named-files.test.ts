import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Pages about other commits, or about files that the reader writes. */
const others = ['add-an-op.md', 'add-a-task.md', 'study-2.md', 'study-3a.md', 'study-3b.md'];
const docs = readdirSync('docs').filter((name) => name.endsWith('.md') && !others.includes(name));

it.each(['README.md', 'SECURITY.md', ...docs.map((name) => `docs/${name}`)])(
  '%s names files that exist',
  (page) => {
    const named = readFileSync(page, 'utf8').matchAll(
      /`((?:src|tests|workers|scripts|bench|examples)\/[\w./-]+)`(?! of commit)/g,
    );
    expect(Array.from(named, ([, path]) => path).filter((path) => !existsSync(path))).toEqual([]);
  },
);
