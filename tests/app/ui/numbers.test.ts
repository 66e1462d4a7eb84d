import { describe, expect, it, vi } from 'vitest';
import { counted, plainNumber, signedNumber } from '../../../src/app/ui/numbers';

describe('a number of the page', () => {
  it('is rounded half away from zero, and has no zeros at its end', () => {
    const written = ['1.01', '-1.01', '0.5', '2', '12.3', '0.0123', '0', '124'];
    expect([1.005, -1.005, 0.5, 2, 12.34, 0.01234, 0, 123.5].map(plainNumber)).toEqual(written);
    expect([0.001, -0.001, 1.5, -0.5].map(signedNumber)).toEqual(['0', '0', '+1.5', '−0.5']);
  });

  it('has the page’s separators in every browser', () => {
    const german = vi.spyOn(Number.prototype, 'toLocaleString');
    german.mockImplementation(function (this: number, locale = 'de') {
      return new Intl.NumberFormat(locale).format(this);
    });
    expect([counted(2000, 'row'), counted(1, 'row')]).toEqual(['2,000 rows', '1 row']);
    german.mockRestore();
  });
});
