import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it(
  'the pages and figures of results come from the lines of the runs',
  { tags: ['long'], timeout: 600_000 },
  async () => {
    const { resultFiles } = await import('../../scripts/study/results');
    const files = Object.entries(resultFiles());
    expect(files).toHaveLength(8);
    for (const [file, text] of files) expect(readFileSync(file, 'utf8'), file).toBe(text);
  },
);
