import { expect, it } from 'vitest';
import { flat } from '../../../src/app/report/report-tables';

it('a report writes no digits that say nothing, and leaves out what is not known', () => {
  expect(flat({ heap: 109.79999999998836, adapter: null, build: '0.1.0' })).toEqual([
    ['heap', '110'],
    ['build', '0.1.0'],
  ]);
});
