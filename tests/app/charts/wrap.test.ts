import { expect, it } from 'vitest';
import { wrap } from '../../../src/app/charts/canvas';

it('words at a mark that are wider than a narrow chart are broken into lines', () => {
  const fits = (line: string): boolean => line.length <= 14;
  expect(wrap('goes on writing, no longer thinks', fits)).toEqual([
    'goes on',
    'writing, no',
    'longer thinks',
  ]);
  expect(wrap('stops thinking', fits)).toEqual(['stops thinking']);
  expect(wrap('an unbreakablyLongWord here', fits)).toEqual(['an', 'unbreakablyLongWord', 'here']);
});
