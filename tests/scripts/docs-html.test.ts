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
