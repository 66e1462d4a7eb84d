import { expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random';
import type { StepRecord } from '../../../src/run/record/events';
import { columnOf, StepTable } from '../../../src/run/record/step-table';
import { putAtStep } from '../../../src/run/record/history';

/** Records with the names that a run has, in any combination, and values that a failed run may have. */
function drawnRecords(count: number): StepRecord[] {
  const random = createRandom(7, 0x57e9);
  const values = [0, -0, 1, NaN, Infinity, -Infinity, 5e-324, 0.1];
  const names = ['reward', 'kl', '__proto__', 'accuracy/order_2', 'rewards/format/mean'];
  return Array.from({ length: count }, (_, index) => {
    const entries = names.flatMap((name) =>
      random.uniform() < 0.5 ? [] : [[name, values[Math.floor(random.uniform() * values.length)]]],
    );
    return Object.fromEntries([['step', index + 1], ...entries]) as StepRecord;
  });
}

it('a table of steps has the records of an array, in every way of reading', () => {
  const records = drawnRecords(1000);
  const table = new StepTable(records);
  expect([...table]).toStrictEqual(records);
  expect(table.length).toBe(records.length);
  for (const index of [0, 1, 127, 128, 999, 1000, -1, -1000, -1001]) {
    expect(table.at(index)).toStrictEqual(records.at(index));
  }
  for (const range of [[], [5], [-3], [127, 129], [-200, -100], [990, 2000], [10, 5]]) {
    expect(table.slice(...range)).toStrictEqual(records.slice(...range));
  }
  for (const name of ['step', 'reward', '__proto__', 'none']) {
    const column = records.map((record) => (Object.hasOwn(record, name) ? record[name] : undefined));
    expect(table.column(name)).toStrictEqual(column);
    if (name !== '__proto__') expect(columnOf(records, name)).toStrictEqual(column);
  }
});

it('a table that repeats steps has their last records, also at the edge of a block', () => {
  const records = drawnRecords(300);
  for (const from of [1, 127, 128, 129, 256, 257, 300]) {
    const table = new StepTable(records);
    const again = records.slice(from - 1).map((record) => ({ step: record.step, reward: -1 }));
    for (const record of again) putAtStep(table, record, ({ step }) => step);
    expect([...table]).toStrictEqual([...records.slice(0, from - 1), ...again]);
  }
});

it('a snapshot of a table does not change with it', () => {
  const records = drawnRecords(300);
  const table = new StepTable(records.slice(0, 100));
  const before = table.snapshot();
  for (const record of records.slice(100)) table.push(record);
  expect([...before]).toStrictEqual(records.slice(0, 100));
  expect(before.column('step')).toHaveLength(100);
  const full = table.snapshot();
  expect([...full]).toStrictEqual(records);
  for (const record of records.slice(250)) putAtStep(table, { ...record, step: 120 }, ({ step }) => step);
  expect(table.length).toBe(120);
  expect([...full]).toStrictEqual(records);
});

it('a table tells names with line breaks apart', () => {
  const records = [{ 'a\nb': 1 }, { a: 2, b: 3 }, { 'a\nb': 4 }] as unknown as StepRecord[];
  expect([...new StepTable(records)]).toEqual(records);
});

it('a table takes what damaged storage holds as records without values', () => {
  const damaged = [null, { step: 'x', reward: 2n }] as unknown as StepRecord[];
  expect([...new StepTable(damaged)]).toEqual([{}, { step: NaN, reward: NaN }]);
});
