import { expect, it } from 'vitest';
import { MarbleError, toErrorReport } from '../../src/base/error';

it('the texts of an error have a length that a page can show, for any name in a file', () => {
  const [whole, long] = ['x'.repeat(2000), 'x'.repeat(3e6)];
  expect(new MarbleError('share/bad-file', whole, whole)).toMatchObject({ message: whole, nextStep: whole });
  const cut = `${whole}…`;
  expect(new MarbleError('share/bad-file', long, long)).toMatchObject({ message: cut, nextStep: cut });
});

it.each([
  ['TypeError: Failed to fetch dynamically imported module: http://x/link.js', 'app/part-missing'],
  ['RangeError: Array buffer allocation failed', 'gpu/out-of-memory'],
])('the browser’s “%s” is no fault in Marble', (text, code) => {
  expect(toErrorReport(new Error(text))).toMatchObject({
    code,
    nextStep: expect.not.stringContaining('fault') as string,
  });
});
