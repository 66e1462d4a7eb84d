import { expect, it } from 'vitest';
import { numbersIn } from '../../src/tom/text/answers';

it.each([
  ['so 3 + 4 = 1,007', [3, 4, 1007]],
  ['none', []],
  ['-2.50 dollars', [-2.5]],
  // The left edge: a point, a sign, a currency.
  ['.5', [0.5]],
  ['$.50', [0.5]],
  ['-.5', [-0.5]],
  ['the answer is .5.', [0.5]],
  ['v1.2.3', [1.2, 3]],
  ['box.5 ...6', [5, 6]],
  ['-$5, $-5, -\\$.5', [-5, -5, -0.5]],
  ['($5)', [5]],
  ['\u22125 \u20135 \u20115 \uff0d5', [-5, -5, -5, -5]],
  // A minus after an operand subtracts.
  ['10-5', [10, 5]],
  ['10\u22125 and 3\u20135', [10, 5, 3, 5]],
  ['$10-$5, x-5, (x)-5, 10%-5', [10, 5, 5, 5, 10, 5]],
  ['x=-5, (-5), [3,-5]', [-5, -5, 3, -5]],
  ['2024-05-01', [2024, 5, 1]],
  // The right edge, groups and other digits.
  ['1. 5.0. 100,000,', [1, 5, 100_000]],
  ['1\u202f000\u00a0000 and 5\u00a06', [1_000_000, 5, 6]],
  ['1e3 2E-2 3e', [1000, 0.02, 3]],
  ['\uff11\uff18\uff0e\uff15', [18.5]],
  ['5 m² ½', [5]],
])('%j has the numbers %j', (text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers);
});
