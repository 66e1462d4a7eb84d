import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page, withTable } from '../../scripts/first-runs';

it('the docs have the table of all first runs that are kept', () => {
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withTable(text));
  expect(text).toMatch(/\n\| `first-run-135m`, 1 \|/);
});
