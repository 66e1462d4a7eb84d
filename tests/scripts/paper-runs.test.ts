import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page, withTables } from '../../scripts/paper-runs';

it('the docs have the tables of all runs of the papers’ settings that are kept', () => {
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withTables(text));
  expect(text).toMatch(/\n\| `mix-hitom-mini` \|/);
  expect(text).toMatch(/\n\| 25k, rho 0.82 \| \d/);
});
