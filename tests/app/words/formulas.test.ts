import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import formulas from '../../../src/app/words/formulas.json';

it('every formula of the page names a file that is there', () => {
  expect(Object.values(formulas).filter(({ file }) => !existsSync(file))).toEqual([]);
});
