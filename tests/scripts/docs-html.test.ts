import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { docsHtml } from '../../scripts/build/docs-html';

it('a page of the docs has no scripts, and links only to other pages and to the web', () => {
  const html = docsHtml(
    '# Of links\n[one](tasks.md) [two](../src/rl/step.ts) [three](https://marble.example) [four](study-2/runs.jsonl)\n',
  );
  expect(Array.from(html.matchAll(/<a href="([^"]+)">/g), ([, address]) => address)).toEqual([
    'tasks.html',
    'https://marble.example',
  ]);
  expect(html).toContain('two');
  expect(html).toContain('<title>Marble: Of links</title>');
  expect(html).not.toContain('<script');
});

it('every test that docs/reliability.md names exists', () => {
  const page = readFileSync('docs/reliability.md', 'utf8');
  const files = Array.from(page.matchAll(/`(tests\/[^`]+)`/g), ([, file]) => file);
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
