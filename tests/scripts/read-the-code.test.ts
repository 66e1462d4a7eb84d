import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('docs/read-the-code.md', 'utf8');
const stops = Array.from(page.matchAll(/^- `(\w+)` in \[([\w/.-]+)\]\(\.\.\/\2\): /gm), ([, name, file]) => [
  name,
  file,
]);

it('every stop of docs/read-the-code.md is parsed', () => {
  expect(stops).toHaveLength(page.match(/^- /gm)!.length);
});

it.each(stops)('docs/read-the-code.md finds %s in %s', (name, file) => {
  // A top-level definition, a function within a function, or a method with a body.
  const defined = new RegExp(
    `^(export )?(async )?(function\\*?|const|class|interface) ${name}\\b|^ +(async )?function ${name}\\b|^ +(const ${name} = |(async )?${name}\\((.*\\{)?$)`,
    'm',
  );
  expect(readFileSync(file, 'utf8')).toMatch(defined);
});
