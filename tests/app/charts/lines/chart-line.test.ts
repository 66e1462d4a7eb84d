import { expect, it } from 'vitest';
import { lettersOf, type ChartLine } from '../../../../src/app/charts/lines/curve';

const line = (faint?: boolean): ChartLine => ({ label: 'a', colour: '--ink', steps: [], values: [], faint });

it('lines have letters where there are several, and raw data behind a line none', () => {
  expect(lettersOf([line(true), line(), line()])).toEqual([null, 'A', 'B']);
  expect(lettersOf([line(true), line()])).toEqual([null, null]);
  // The line of a run that is pointed at takes no letter from the others.
  expect(lettersOf([line(), line(), { ...line(), isPassing: true }, line()])).toEqual(['A', 'B', null, 'C']);
  expect(lettersOf(Array.from({ length: 9 }, () => line()))).toEqual(new Array(9).fill(null));
});
