import { expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';

it('the texts of an error have a length that a page can show, for any name in a file', () => {
  const [whole, long] = ['x'.repeat(2000), 'x'.repeat(3e6)];
  expect(new MarbleError('share/bad-file', whole, whole)).toMatchObject({ message: whole, nextStep: whole });
  const cut = `${whole}…`;
  expect(new MarbleError('share/bad-file', long, long)).toMatchObject({ message: cut, nextStep: cut });
});
