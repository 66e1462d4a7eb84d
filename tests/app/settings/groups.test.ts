import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as groups from '../../../src/app/settings/groups';
import { expandSweep } from '../../../src/run/sweep/sweep';
import { example } from '../../share/example-config';
import { formFields } from '../../../src/run/config/check-config';

const { advancedGroups, groupOf, settingGroups, withChoice } = groups;

it('each group holds fields of the form', () => {
  const held = new Set(formFields.map(({ path }) => groupOf(path)));
  expect([...held].toSorted()).toEqual([...settingGroups, ...advancedGroups].toSorted());
});

it('docs/settings.md has a row for each setting of the form, in its order', () => {
  const rows = readFileSync('docs/settings.md', 'utf8').matchAll(/^\| (.+?) +\| `(.+?)` +\| \S/gm);
  expect([...rows].map(([, label, path]) => [label, path])).toEqual(
    formFields.map(({ label, path }) => [label, path]),
  );
});

it('other stories are asked for the orders that they have', () => {
  const ordersOf = (source: string, orders: number[]) =>
    withChoice({ ...example, data: { ...example.data, orders } }, 'data.source', source).data.orders;
  expect(ordersOf('tomi', [1, 2, 3])).toEqual([1, 2]);
  expect(ordersOf('tomi', [3, 4])).toEqual([0, 1, 2]);
  expect(ordersOf('hitom', [1, 2, 3])).toEqual([1, 2, 3]);
  expect(ordersOf('imported:x', [4])).toEqual([4]);
});

it('an algorithm comes with the settings of its paper, as in a sweep', () => {
  const [{ config }] = expandSweep(example, { algorithm: ['grpo'] });
  expect(withChoice(example, 'algorithm.name', 'grpo')).toEqual(config);
  expect(config.algorithm.kl.place).not.toBe(example.algorithm.kl.place);
  expect(withChoice(example, 'algorithm.name', 'none')).toEqual(example);
});
